package access

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Admit implements Store.
func (e *Embedded) Admit(ctx context.Context, c Credential, n int64) (a Admission, err error) {
	if c.Hash == "" {
		return Admission{Verdict: UnknownKey}, nil
	}
	err = e.write(ctx, c.Hash, "admit", func(t transaction) (err error) {
		a, err = t.admit(e.limits, c, n)
		if errors.Is(err, ErrNoAccount) {
			a, err = Admission{Verdict: UnknownKey}, e.look(t)
		}
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	if a.Verdict != UnknownKey {
		e.had.saw()
	}
	return a.charged(n), nil
}

// state reads it, of the account that one of the statements byKey, byOlder and byName finds.
func (t transaction) state(statement *sql.Stmt, name ...any) (s state, err error) {
	s.now = t.now.Truncate(time.Microsecond)
	err = t.row(statement, name...).Scan(&s.user, &s.tier, &s.bucket.level, &s.bucket.moment)
	if errors.Is(err, sql.ErrNoRows) {
		return s, ErrNoAccount
	}
	if err != nil {
		return s, err
	}
	s.used, err = t.used(s.user, counterOf(s.tier, s.now))
	return s, err
}

// used reads a counter.
func (t transaction) used(user, counter string) (n int64, err error) {
	err = t.row(t.statements.used, user, counter).Scan(&n)
	return n, unlessNone(err)
}

// unlessNone is err but where there was no row: then nothing was used.
func unlessNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// admit does the same as admit.lua in Redis.
func (t transaction) admit(limits Limits, c Credential, n int64) (Admission, error) {
	s, err := t.state(t.statements.byKey, c.Hash)
	isOlder := errors.Is(err, ErrNoAccount)
	if isOlder {
		s, err = t.state(t.statements.byOlder, c.Hash, t.now.UnixMicro())
	}
	if err == nil && c.isToken() {
		err = t.visitState(&s, c.Visitor)
	}
	if err != nil {
		return Admission{}, err
	}
	limit, now := limits[s.tier], s.now.UnixMicro()
	updated := s
	verdict, ok := Admitted, true
	if c.isToken() {
		updated.visitor, ok = s.visitor.take(c.Burst, c.Burst, now)
	}
	var fits bool
	updated.bucket, fits = s.bucket.take(limit.Burst, limit.burst(c.isToken()), now)
	switch {
	case n != NoPrice && s.used > limit.Quota-max(n, 1):
		verdict = exhausted(s.tier)
	case c.isToken() && s.tokens > limit.Tokens-max(n, 1):
		verdict = TokensExceeded
	case !ok:
		verdict = VisitorExceeded
	case !fits:
		verdict = BurstExceeded
	}
	if verdict != Admitted {
		return limits.admission(verdict, s, c), nil
	}
	if err := t.exec(t.statements.fill, updated.bucket.level, updated.bucket.moment, s.user); err != nil {
		return Admission{}, err
	}
	if isOlder {
		err = t.exec(t.statements.useOlder, now, c.Hash)
	}
	if err == nil && n > 0 {
		err = t.count(&updated, n)
	}
	if err == nil && c.isToken() {
		err = t.visit(&updated, c.Visitor, n)
	}
	return limits.admission(Admitted, updated, c), err
}

// visitState reads the use by tokens and by one of their visitors. The free tier has none.
func (t transaction) visitState(s *state, visitor string) (err error) {
	if s.tier == Free {
		return ErrNoAccount
	}
	if s.tokens, err = t.used(s.user, tokensCounter(s.now)); err != nil {
		return err
	}
	return unlessNone(t.row(t.statements.visitor, s.user, visitor).Scan(&s.visitor.level, &s.visitor.moment))
}

// visit stores a visitor's burst from s and counts n token requests. It deletes full bursts.
func (t transaction) visit(s *state, visitor string, n int64) error {
	if err := t.exec(t.statements.visit, s.user, visitor, s.visitor.level, s.visitor.moment); err != nil {
		return err
	}
	if err := t.countTokens(s, n); err != nil {
		return err
	}
	return t.exec(t.statements.forget, s.now.UnixMicro()-cost)
}

// countTokens counts n requests that came with tokens.
func (t transaction) countTokens(s *state, n int64) error {
	s.tokens += n
	return t.exec(t.statements.count, s.user, tokensCounter(s.now), n)
}

// count counts n requests, in the counter and in the day. The first one of a day deletes days that
// nobody requests any more, and the counters before yesterday's, for which no refund can come.
func (t transaction) count(s *state, n int64) error {
	s.used += n
	if err := t.exec(t.statements.count, s.user, counterOf(s.tier, s.now), n); err != nil {
		return err
	}
	today, counted := dayNumber(s.now), int64(0)
	if err := t.row(t.statements.countDay, s.user, today, n).Scan(&counted); err != nil || counted > n {
		return err
	}
	if err := t.exec(t.statements.expire, s.user, today-1); err != nil {
		return err
	}
	return t.exec(t.statements.expireDays, s.user, today-UsageDays)
}

// Charge implements Store.
func (e *Embedded) Charge(ctx context.Context, a Admission, n int64) (charged Admission, err error) {
	err = e.write(ctx, a.User, "charge", func(t transaction) error {
		charged, err = t.charge(e.limits, a, n)
		return err
	})
	return charged, err
}

// charge does the same as charge.lua in Redis.
func (t transaction) charge(limits Limits, a Admission, n int64) (charged Admission, err error) {
	s, err := t.state(t.statements.byName, a.User)
	c := a.credential()
	if err == nil && c.isToken() {
		s.tokens, err = t.used(s.user, tokensCounter(s.now))
	}
	if err != nil {
		return Admission{}, err
	}
	verdict := Admitted
	switch limit := limits[s.tier]; {
	case s.used > limit.Quota-n:
		verdict = exhausted(s.tier)
	case c.isToken() && s.tokens > limit.Tokens-n:
		verdict = TokensExceeded
	default:
		if err = t.count(&s, n); err == nil && c.isToken() {
			err = t.countTokens(&s, n)
		}
	}
	charged = limits.admission(verdict, s, c)
	charged.Visitor = a.Visitor // whose burst stays as it is
	return charged, err
}

// Refund implements Store.
func (e *Embedded) Refund(ctx context.Context, a Admission, n int64) error {
	if a.counter == "" {
		return nil // nothing was counted
	}
	return e.write(context.WithoutCancel(ctx), a.User, "refund", func(t transaction) error {
		for _, counter := range []string{a.counter, a.tokensCounter()} { // there is none named ""
			if err := t.exec(t.statements.refund, n, a.User, counter); err != nil {
				return err
			}
		}
		return t.exec(t.statements.refundDay, n, a.User, dayNumber(a.Now))
	})
}

// Usage implements Store.
func (e *Embedded) Usage(ctx context.Context, user string) (u Usage, err error) {
	err = e.write(ctx, user, "read usage", func(t transaction) error {
		s, err := t.state(t.statements.byName, user)
		if err != nil {
			return err
		}
		today, requests := dayNumber(s.now), make([]int64, UsageDays)
		rows, err := t.tx.Stmt(t.statements.days).Query(user, today-UsageDays+1, today)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var day, n int64
			if err := rows.Scan(&day, &n); err != nil {
				return err
			}
			requests[day-today+UsageDays-1] = n
		}
		u = e.limits.usage(s.tier, s.used, s.bucket, requests, s.now)
		return rows.Err()
	})
	return u, err
}

// AcquireLease implements Store.
func (e *Embedded) AcquireLease(ctx context.Context, user, id string) (left time.Duration, err error) {
	err = e.write(ctx, user, "acquire lease", func(t transaction) error {
		if err := t.exec(t.statements.acquire, user, id, t.now.UnixMicro(), LeaseTime.Microseconds()); err != nil {
			return err
		}
		var holder string
		var till int64
		if err := t.row(t.statements.holder, user).Scan(&holder, &till); err != nil {
			return err
		}
		if left = 0; holder != id {
			left = time.Duration(till-t.now.UnixMicro()) * time.Microsecond
		}
		return nil
	})
	return left, err
}

// Release implements Store.
func (e *Embedded) Release(ctx context.Context, user, id string) error {
	return e.write(context.WithoutCancel(ctx), user, "release lease", func(t transaction) error {
		return t.exec(t.statements.release, user, id)
	})
}
