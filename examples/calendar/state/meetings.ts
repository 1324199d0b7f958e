import { state } from '@botwright/framework'

/** `start` is ISO 8601. The first `people` have the seats, the others wait. */
export type Meeting = { title: string; start: string; seats: number; people: string[] }

/** Identifies a meeting, in its key and in its buttons. */
export type Place = { server_id: string; start: Date; id: string }

/** Begins with the server and the time, so that a list is in order of time. */
export const keyOf = ({ server_id, start, id }: Place): string => `${server_id}:${start.toISOString()}:${id}`

export default state<Meeting>({ per: 'key', expires: '400d' })
