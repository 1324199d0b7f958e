/** Whether the window is so narrow that the side panels are drawers; the same width as in `layout.css`. */
export const isNarrow = (): boolean => matchMedia('(max-width: 860px)').matches
