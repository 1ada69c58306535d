package synthetic

// place is where a county lies: its middle in hundredths of a degree, and how far its towns may lie from there, in
// millionths.
type place struct {
	name, state      string
	lat, lon, spread int
}

// places returns the counties, the one with most filings first. Several share their name with one of another state.
func places() []place {
	const usual = 120_000
	return []place{
		{"Orange", "FL", 2851, -8132, usual},
		{"Miami-Dade", "FL", 2561, -8050, usual},
		{"Broward", "FL", 2615, -8045, usual},
		{"Orange", "CA", 3368, -11778, usual},
		{"Palm Beach", "FL", 2665, -8045, usual},
		{"Hillsborough", "FL", 2791, -8235, usual},
		{"Los Angeles", "CA", 3432, -11822, usual},
		{"Pinellas", "FL", 2790, -8274, usual},
		{"Duval", "FL", 3033, -8165, usual},
		{"Maricopa", "AZ", 3335, -11249, usual},
		{"Lee", "FL", 2658, -8192, usual},
		{"Polk", "FL", 2795, -8170, usual},
		{"Brevard", "FL", 2830, -8075, usual},
		{"Aleutians West", "AK", 5195, 17998, usual},
		{"Volusia", "FL", 2906, -8115, usual},
		{"Seminole", "FL", 2871, -8121, usual},
		{"Osceola", "FL", 2806, -8115, usual},
		{"Lake", "FL", 2876, -8171, usual},
		{"St. Johns", "FL", 2991, -8141, usual},
		{"San Diego", "CA", 3303, -11674, usual},
		{"Sacramento", "CA", 3845, -12134, usual},
		{"Alameda", "CA", 3765, -12191, usual},
		{"Pima", "AZ", 3210, -11179, usual},
		{"Clark", "NV", 3621, -11502, usual},
		{"Washoe", "NV", 4066, -11966, usual},
		{"Harris", "TX", 2986, -9539, usual},
		{"Dallas", "TX", 3277, -9678, usual},
		{"Travis", "TX", 3033, -9778, usual},
		{"Bexar", "TX", 2945, -9852, usual},
		{"Cook", "IL", 4184, -8782, usual},
		{"Lake", "IL", 4232, -8784, usual},
		{"DuPage", "IL", 4185, -8809, usual},
		{"King", "WA", 4749, -12183, usual},
		{"Pierce", "WA", 4704, -12213, usual},
		{"Multnomah", "OR", 4555, -12242, usual},
		{"Washington", "OR", 4556, -12310, usual},
		{"Franklin", "OH", 3997, -8301, usual},
		{"Cuyahoga", "OH", 4143, -8166, usual},
		{"Hamilton", "OH", 3920, -8454, usual},
		{"Fulton", "GA", 3379, -8447, usual},
		{"DeKalb", "GA", 3377, -8423, usual},
		{"Wake", "NC", 3579, -7865, usual},
		{"Mecklenburg", "NC", 3525, -8083, usual},
		{"Essex", "NJ", 4079, -7425, usual},
		{"Essex", "MA", 4264, -7087, usual},
		{"Bergen", "NJ", 4096, -7407, usual},
		{"Middlesex", "NJ", 4044, -7441, usual},
		{"Middlesex", "MA", 4249, -7139, usual},
		{"Kings", "NY", 4064, -7395, usual},
		{"Queens", "NY", 4070, -7382, usual},
		{"Erie", "NY", 4276, -7878, usual},
		{"Erie", "PA", 4199, -8004, usual},
		{"Allegheny", "PA", 4047, -7998, usual},
		{"Philadelphia", "PA", 4001, -7513, usual},
		{"Wayne", "MI", 4228, -8326, usual},
		{"Oakland", "MI", 4266, -8339, usual},
		{"Doña Ana", "NM", 3235, -10683, usual},
		{"Bernalillo", "NM", 3505, -10667, usual},
		{"Shelby", "TN", 3518, -8989, usual},
		{"Davidson", "TN", 3617, -8678, usual},
		{"Prince George's", "MD", 3883, -7685, usual},
		{"Salt Lake", "UT", 4067, -11192, usual},
		{"Honolulu", "HI", 2146, -15820, usual},
	}
}
