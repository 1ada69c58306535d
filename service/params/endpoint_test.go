package params

// endpoint returns the row of on, as far as this package looks at it.
func endpoint(on Endpoints) *Endpoint {
	rows := map[Endpoints]Endpoint{
		List:      {Name: "list", Token: true, Shape: Pagination, Canonical: PageText},
		Search:    {Name: "search", Token: true, Shape: Pagination, Canonical: PageText},
		Clusters:  {Name: "clusters", Token: true, Canonical: ClustersText},
		Groups:    {Name: "groups", Token: true, Canonical: GroupsText},
		OneFiling: {Name: "one", Token: true, Canonical: FilingText},
		OneCounty: {Canonical: FilterText},
		Owners:    {Name: "owners", Token: true, Shape: Pagination, Canonical: OwnersText},
		Changes:   {Name: "changes", Shape: Pagination | Forward, Canonical: ChangesText},
	}
	e := rows[on]
	e.Takes = on
	return &e
}
