"""Calls every operation of the service at ADDRESS with KEY, through the client that openapi-python-client generated from
its OpenAPI document, and prints what it got as JSON: by operation, what TestClients compares."""

import json
import os
import ssl
from typing import Any, TypeVar

from filings import AuthenticatedClient, Client
from filings.api.account import create_token, get_identity, get_usage
from filings.api.counties import list_counties, list_county_date_ranges, list_county_months
from filings.api.document import get_open_api
from filings.api.filings import cluster_filings, export_filings, get_filing, group_filings, legacy_get_filing, legacy_list_filings
from filings.api.filings import get_tile, get_tile_set, legacy_search_filings, list_changes, list_filings, list_owners, search_filings
from filings.api.generations import list_coverage, list_fields, list_generations
from filings.api.statistics import get_statistics, list_county_statistics
from filings.models.by import By
from filings.models.category import Category
from filings.models.changes_response import ChangesResponse
from filings.models.clusters_response import ClustersResponse
from filings.models.county_list import CountyList
from filings.models.county_stats_list import CountyStatsList
from filings.models.coverage_list import CoverageList
from filings.models.date_range_list import DateRangeList
from filings.models.fields_response import FieldsResponse
from filings.models.error_response import ErrorResponse
from filings.models.feature_collection import FeatureCollection
from filings.models.filing_list import FilingList
from filings.models.filing_response import FilingResponse
from filings.models.filing_search_response import FilingSearchResponse
from filings.models.flat_error import FlatError
from filings.models.generation_list import GenerationList
from filings.models.get_open_api_response_200 import GetOpenApiResponse200
from filings.models.groups_response import GroupsResponse
from filings.models.identity_response import IdentityResponse
from filings.models.endpoints import Endpoints
from filings.models.token_response import TokenResponse
from filings.models.usage_response import UsageResponse
from filings.models.month_list import MonthList
from filings.models.owner_list import OwnerList
from filings.models.sort_by import SortBy
from filings.models.sort_order import SortOrder
from filings.models.stats_response import StatsResponse
from filings.models.tier import Tier
from filings.models.tile_json import TileJSON
from filings.types import File

T = TypeVar("T")


def be(kind: type[T], response: object) -> T:
    """Returns a response that must be of a kind."""
    if not isinstance(response, kind):
        raise TypeError(f"{response!r} is no {kind.__name__}")
    return response


def main() -> None:
    address, trusted = os.environ["ADDRESS"], ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    client = AuthenticatedClient(
        base_url=address, token=os.environ["KEY"], prefix="", auth_header_name="X-API-Key", verify_ssl=trusted
    )
    keyless = Client(base_url=address, verify_ssl=trusted)
    county, types = "Orange, FL", ["Tax Lien", "Municipal Lien"]
    categories = [Category.RESIDENTIAL, Category.LAND]
    got: dict[str, Any] = {}

    page = be(FilingList, list_filings.sync(client=client, filing_types=types, categories=categories, limit=5))
    got["listFilings"] = [filing.id for filing in page.data]
    assert all(filing.filing_type in types for filing in page.data)
    nowhere = ["Nowhere, ZZ", "Elsewhere, ZZ"]
    some = list_filings.sync(client=client, ids=[1, 2, 3], exclude_counties=nowhere, fields=["owner"])
    got["listFilings of some fields"] = [filing.owner for filing in be(FilingList, some).data]
    got["listFilings refused"] = be(ErrorResponse, list_filings.sync(client=client, limit=0)).error.message
    crawled: list[int] = []
    cursor = "*"
    while len(crawled) < 15:
        page = be(FilingList, list_filings.sync(client=client, cursor=cursor, limit=5))
        crawled += [filing.id for filing in page.data]
        cursor = be(str, page.pagination.next_cursor)
    got["listFilings by cursor"] = crawled
    found = search_filings.sync(
        client=client, q="maple", categories=categories, sort_by=SortBy.FILING_AMOUNT, sort_order=SortOrder.ASC
    )
    got["searchFilings"] = [filing.id for filing in be(FilingSearchResponse, found).data]
    clusters = cluster_filings.sync(
        client=client, bounds_north=90, bounds_south=-90, bounds_east=180, bounds_west=-180, zoom=4, filing_types=types
    )
    got["clusterFilings"] = be(ClustersResponse, clusters).data.total
    # The generated function reads JSON. GeoJSON comes through the client's own, and is read by the generated model.
    response = client.get_httpx_client().get(
        "/v1/filings/clusters",
        params={
            "bounds_north": 90, "bounds_south": -90, "bounds_east": 180, "bounds_west": -180, "zoom": 4, "filing_types": types
        },
        headers={"Accept": "application/geo+json"},
    )
    features = FeatureCollection.from_dict(response.json()).features
    got["clusterFilings as GeoJSON"] = [feature.properties.count for feature in features]
    groups = be(GroupsResponse, group_filings.sync(client=client, by=[By.BY_COUNTY, By.BY_CATEGORY], filing_types=types)).data
    got["groupFilings"] = [group.filing_amount.sum_ for group in groups]
    got["groupFilings by"] = [group.category for group in groups]
    changes = be(ChangesResponse, list_changes.sync(client=client, since="20260314-000000.000000")).data
    got["listChanges"] = [change.op.value for change in changes]
    export = export_filings.sync_detailed(client=client, county=[county], min_amount=20_000)
    got["exportFilings"] = json.loads(export.content.split(b"\n")[0])["id"]
    got["getFiling"] = be(FilingResponse, get_filing.sync(1, client=client)).data.county
    got["getFiling refused"] = be(ErrorResponse, get_filing.sync(1_000_000, client=client)).error.code.value

    owners = be(OwnerList, list_owners.sync(client=client, q="m", min_filings=1)).data
    got["listOwners"] = [owner.filing_amount.sum_ for owner in owners]
    got["getTileSet"] = be(TileJSON, get_tile_set.sync(client=client, q="maple")).tiles
    got["getTile"] = len(be(File, get_tile.sync("20260315-000000.000000", 0, 0, 0, client=client)).payload.read())
    got["getStatistics"] = be(StatsResponse, get_statistics.sync(client=client)).data.total_filings
    by_county = be(CountyStatsList, list_county_statistics.sync(client=client, state="FL"))
    got["listCountyStatistics"] = [stats.filing_count for stats in by_county.data]
    coverage = be(CoverageList, list_coverage.sync(client=client, state="FL"))
    got["listCoverage"] = [county.with_coordinates for county in coverage.data]
    fields = be(FieldsResponse, list_fields.sync(client=client)).data
    got["listFields"] = [field.filled for field in fields]
    got["listFields to"] = [field.max_ for field in fields]
    got["listGenerations"] = [generation.id for generation in be(GenerationList, list_generations.sync(client=client)).data]
    got["listCounties"] = be(CountyList, list_counties.sync(client=client)).data
    got["listCountyMonths"] = be(MonthList, list_county_months.sync(county, client=client)).data
    got["listCountyDateRanges"] = be(DateRangeList, list_county_date_ranges.sync(county, client=client)).data
    me = be(IdentityResponse, get_identity.sync(client=client))
    assert me.data.tier == me.meta.tier == Tier.ENTERPRISE
    got["getIdentity"] = me.data.tier.value
    got["getUsage"] = [window.limit for window in be(UsageResponse, get_usage.sync(client=client)).data.windows]
    places = [Endpoints.TILES, Endpoints.ONE]
    token = be(TokenResponse, create_token.sync(client=client, origin=["https://maps.example.com"], endpoints=places, county=["Orange, FL"]))
    got["createToken"] = token.data.filter_
    got["getIdentity refused"] = be(FlatError, get_identity.sync(client=keyless)).error.value

    legacy = be(FilingList, legacy_list_filings.sync(client=client, lien_types=types, limit=5))
    got["legacyListFilings"] = [filing.id for filing in legacy.data]
    legacy_found = be(FilingSearchResponse, legacy_search_filings.sync(client=client, q="maple", lien_types=types))
    got["legacySearchFilings"] = [filing.id for filing in legacy_found.data]
    got["legacyGetFiling"] = be(FilingResponse, legacy_get_filing.sync(1, client=client)).data.county
    got["getOpenAPI"] = be(GetOpenApiResponse200, get_open_api.sync(client=keyless))["openapi"]
    print(json.dumps(got))


main()
