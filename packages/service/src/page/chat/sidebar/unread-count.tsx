import { unread } from '../../state/store.ts'

const most = 99

/** The number of unread mentions; other unread messages only make the channel name bold. */
export function UnreadCount({ id }: { id: string }) {
  const marks = unread.value[id]
  if (marks === undefined) return null
  if (marks.mentions === 0) return <span class="visually-hidden">unread</span>
  return (
    <span class="count" aria-label={`${marks.mentions} unread`}>
      {marks.mentions > most ? `${most}+` : marks.mentions}
    </span>
  )
}
