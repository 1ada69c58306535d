package service

// Others lets tests ask what exports ask.
func (s *Service) Others() bool { return s.hasRequests() }
