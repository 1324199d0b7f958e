import { durationText, type TaskSchedule } from '@botwright/framework'

/** `0 9 * * * (Europe/Berlin)`, `every 10 min`. */
export function scheduleText({ cron, timezone = 'UTC', everyMs }: TaskSchedule): string {
  if (cron !== undefined) return `${cron} (${typeof timezone === 'string' ? timezone : timezone.env})`
  return everyMs === undefined ? 'when a handler schedules it' : `every ${durationText(everyMs)}`
}
