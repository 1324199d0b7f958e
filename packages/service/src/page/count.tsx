import { unread } from './store.ts'

const most = 99

/** How many unread messages name this person; other unread messages only make the name of the channel bold. */
export function Count({ id }: { id: string }) {
  const marks = unread.value[id]
  if (marks === undefined) return null
  if (marks.mentions === 0) return <span class="visually-hidden">unread</span>
  return (
    <span class="count" aria-label={`${marks.mentions} unread`}>
      {marks.mentions > most ? `${most}+` : marks.mentions}
    </span>
  )
}
