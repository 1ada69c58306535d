package synthetic

// townSpread is how far from the middle of a county its towns may lie, in millionths of a degree.
const townSpread = 120_000

// place is where the middle of a county lies, in hundredths of a degree.
type place struct {
	name, state string
	lat, lon    int
}

// places returns the counties, the one with most filings first. Several share their name with one of another state.
func places() []place {
	return []place{
		{"Orange", "FL", 2851, -8132},
		{"Miami-Dade", "FL", 2561, -8050},
		{"Broward", "FL", 2615, -8045},
		{"Orange", "CA", 3368, -11778},
		{"Palm Beach", "FL", 2665, -8045},
		{"Hillsborough", "FL", 2791, -8235},
		{"Los Angeles", "CA", 3432, -11822},
		{"Pinellas", "FL", 2790, -8274},
		{"Duval", "FL", 3033, -8165},
		{"Maricopa", "AZ", 3335, -11249},
		{"Lee", "FL", 2658, -8192},
		{"Polk", "FL", 2795, -8170},
		{"Brevard", "FL", 2830, -8075},
		{"Aleutians West", "AK", 5195, 17998},
		{"Volusia", "FL", 2906, -8115},
		{"Seminole", "FL", 2871, -8121},
		{"Osceola", "FL", 2806, -8115},
		{"Lake", "FL", 2876, -8171},
		{"St. Johns", "FL", 2991, -8141},
		{"San Diego", "CA", 3303, -11674},
		{"Sacramento", "CA", 3845, -12134},
		{"Alameda", "CA", 3765, -12191},
		{"Pima", "AZ", 3210, -11179},
		{"Clark", "NV", 3621, -11502},
		{"Washoe", "NV", 4066, -11966},
		{"Harris", "TX", 2986, -9539},
		{"Dallas", "TX", 3277, -9678},
		{"Travis", "TX", 3033, -9778},
		{"Bexar", "TX", 2945, -9852},
		{"Cook", "IL", 4184, -8782},
		{"Lake", "IL", 4232, -8784},
		{"DuPage", "IL", 4185, -8809},
		{"King", "WA", 4749, -12183},
		{"Pierce", "WA", 4704, -12213},
		{"Multnomah", "OR", 4555, -12242},
		{"Washington", "OR", 4556, -12310},
		{"Franklin", "OH", 3997, -8301},
		{"Cuyahoga", "OH", 4143, -8166},
		{"Hamilton", "OH", 3920, -8454},
		{"Fulton", "GA", 3379, -8447},
		{"DeKalb", "GA", 3377, -8423},
		{"Wake", "NC", 3579, -7865},
		{"Mecklenburg", "NC", 3525, -8083},
		{"Essex", "NJ", 4079, -7425},
		{"Essex", "MA", 4264, -7087},
		{"Bergen", "NJ", 4096, -7407},
		{"Middlesex", "NJ", 4044, -7441},
		{"Middlesex", "MA", 4249, -7139},
		{"Kings", "NY", 4064, -7395},
		{"Queens", "NY", 4070, -7382},
		{"Erie", "NY", 4276, -7878},
		{"Erie", "PA", 4199, -8004},
		{"Allegheny", "PA", 4047, -7998},
		{"Philadelphia", "PA", 4001, -7513},
		{"Wayne", "MI", 4228, -8326},
		{"Oakland", "MI", 4266, -8339},
		{"Doña Ana", "NM", 3235, -10683},
		{"Bernalillo", "NM", 3505, -10667},
		{"Shelby", "TN", 3518, -8989},
		{"Davidson", "TN", 3617, -8678},
		{"Prince George's", "MD", 3883, -7685},
		{"Salt Lake", "UT", 4067, -11192},
		{"Honolulu", "HI", 2146, -15820},
	}
}
