// The map's world. It is cut at 90° east, where no county is, instead of at 180°: so the Aleutian Islands are in one
// piece, west of Alaska. Longitudes of the map are from -270 to 90, those of the service from -180 to 180.

export const west = -270, east = 90;

/** All of it, as parameters of clusters: in as many cells as there may be. */
export const world = { bounds_north: 90, bounds_south: -90, bounds_east: 180, bounds_west: -180, zoom: 3 };

/** The map's longitude of one of the service. */
export const place = (longitude) => (longitude > east ? longitude - 360 : longitude);

/** The service's longitude of one of the map. */
export const served = (longitude) => (longitude < -180 ? longitude + 360 : longitude);
/** Degrees as parameters have them. */
export const text = (degrees) => degrees.toFixed(6); // 0.1 m

/** The four bounds of what a map shows, as parameters. West of a box across 180° is past its east, as the service has it. */
export function boundsOf(box) {
  const [left, right] = [Math.max(box.getWest(), west), Math.min(box.getEast(), east)];
  const whole = right - left >= 360;
  return {
    bounds_north: text(Math.min(box.getNorth(), 90)),
    bounds_south: text(Math.max(box.getSouth(), -90)),
    bounds_east: text(whole ? 180 : served(right)),
    bounds_west: text(whole ? -180 : served(left)),
  };
}
