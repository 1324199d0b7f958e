/** `2026-11-25 14:00:05`, in the time zone of this computer. */
export const localTime = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
