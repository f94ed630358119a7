// One stop of the Tab key for a whole table: the arrow keys move within it.

/**
 * Makes `cells` [row][column] such a table. `keys(event, row, column)` may take a key for itself by returning true;
 * `focused(row, column)` hears of each move. Shift with an arrow moves too, where `keys` keeps the plain ones.
 */
export function roving(cells, { keys = () => false, focused = () => {} } = {}) {
  const rows = cells.length, columns = cells[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return;
  let stop = cells[0][0];
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  for (const [row, line] of cells.entries()) {
    for (const [column, cell] of line.entries()) {
      cell.tabIndex = cell === stop ? 0 : -1;
      cell.addEventListener("focus", () => {
        stop.tabIndex = -1;
        stop = cell;
        stop.tabIndex = 0;
        focused(row, column);
      });
      cell.addEventListener("keydown", (event) => {
        const move = moves[event.key];
        if (keys(event, row, column)) event.preventDefault();
        else if (move && !event.altKey && !event.ctrlKey && !event.metaKey) {
          event.preventDefault();
          cells[row + move[0]]?.[column + move[1]]?.focus();
        }
      });
    }
  }
}
