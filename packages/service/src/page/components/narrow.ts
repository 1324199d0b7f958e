/** Whether the side panels are drawers; keep the width in sync with `layout.css`. */
export const isNarrow = (): boolean => matchMedia('(max-width: 860px)').matches
