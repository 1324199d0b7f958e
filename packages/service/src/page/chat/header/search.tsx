import type { Message } from '@botwright/protocol'
import { useEffect, useRef, useState } from 'preact/hooks'
import { foldName } from '@botwright/protocol/typed-text'
import { api } from '../../state/api.ts'
import { FoundMessage } from './found-message.tsx'
import { Popover } from '../../components/popover.tsx'
import { peopleHere } from '../../state/names.ts'
import { channel, isOnline, messages as loaded, place, putAuthors } from '../../state/store.ts'
import { showError } from '../../state/toasts.ts'
import { useFetched } from '../../stream/use-fetched.ts'

const pageSize = 20
const waitMs = 200

type Found = { messages: Message[]; next: number | null }

/** Reads `from:ann` in a search: the rest is the text to find. */
function readQuery(typed: string): { text: string; author?: string } {
  const from = /(?:^|\s)from:@?(\S+)/i.exec(typed)
  if (!from) return { text: typed.trim() }
  return { text: typed.replace(from[0], ' ').trim(), author: from[1]! }
}

/** The id of the member with this name; undefined if no member has it. */
const idOf = (name: string): string | undefined =>
  peopleHere.value.find((each) => foldName(each.username) === foldName(name))?.user_id

/** Searches from the newest message to older ones until a page is full, or all messages are read. */
async function searchOn(
  query: Parameters<typeof api.messages.search>[0],
  from: Found,
  isCurrent: () => boolean,
): Promise<Found> {
  const found = { ...from }
  const until = from.messages.length + pageSize
  let before = from.next ?? undefined
  do {
    const page = await api.messages.search({ ...query, limit: until - found.messages.length, before })
    putAuthors(page.authors)
    found.messages = [...found.messages, ...page.messages]
    found.next = page.next
    before = page.next ?? undefined
  } while (found.next !== null && found.messages.length < until && isCurrent())
  return found
}

const nothing: Found = { messages: [], next: null }

/** The results for what is typed, read after a pause in typing. `unknownAuthor`: a name that no member has. */
function useSearch(typed: string, everywhere: boolean) {
  const [found, setFound] = useState<Found>()
  const [busy, setBusy] = useState(false)
  const current = useRef(0)
  const { channelId, serverId } = place.value
  const { text, author } = readQuery(typed)
  const authorId = author === undefined ? undefined : idOf(author)

  const search = async (from: Found) => {
    const turn = ++current.current
    const isCurrent = () => turn === current.current
    const inside = everywhere && serverId !== undefined ? { server_id: serverId } : { channel_id: channelId }
    setBusy(true)
    try {
      const next = await searchOn({ ...(text !== '' && { text }), ...inside, author_id: authorId }, from, isCurrent)
      if (isCurrent()) setFound(next)
    } catch (error) {
      if (isCurrent()) showError(error)
    }
    if (isCurrent()) setBusy(false)
  }
  useEffect(() => {
    setFound(undefined)
    setBusy(false)
    if (author === undefined ? text === '' : authorId === undefined) return
    const timer = setTimeout(() => void search(nothing), waitMs)
    return () => {
      clearTimeout(timer)
      current.current++
    }
  }, [text, authorId, author, everywhere, channelId])

  const online = isOnline.value
  useEffect(() => {
    if (online && found) void search(nothing)
  }, [online])
  useFetched((changed) =>
    setFound((known) => known && { ...known, messages: known.messages.flatMap((each) => changed(each) ?? []) }),
  )
  return {
    ...{ found, busy },
    searchOlder: (last: Found) => void search(last),
    unknownAuthor: authorId === undefined ? author : undefined,
  }
}

/** Search in the messages of the open channel, or of all channels of its server. */
export function SearchPanel({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [inServer, setInServer] = useState(false)
  // A direct message has no server: the search is in its messages.
  const everywhere = inServer && channel.value !== undefined
  const { found, busy, searchOlder, unknownAuthor } = useSearch(typed, everywhere)
  const title = channel.value ? `#${channel.value.name}` : 'this conversation'
  const known = loaded.value
  /** A message as it is now, if its channel is loaded. */
  const fresh = (each: Message) => known[each.channel_id]?.find(({ id }) => id === each.id) ?? each
  return (
    <Popover label="Search messages" class="panel-popover" onClose={onClose}>
      <input
        class="input"
        type="search"
        dir="auto"
        aria-label="Search messages"
        placeholder={`Search ${everywhere ? 'the server' : title}; from:ann finds only her messages`}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {channel.value && (
        <label class="check search-scope">
          <input type="checkbox" checked={inServer} onChange={(event) => setInServer(event.currentTarget.checked)} />
          All channels of this server
        </label>
      )}
      <p class="search-count" role="status">
        {unknownAuthor !== undefined && `No member is called ${unknownAuthor}`}
        {busy && 'Searching…'}
        {!busy && found && foundText(found)}
      </p>
      <ul>
        {found?.messages.map((each) => (
          <FoundMessage key={each.id} message={fresh(each)} onClose={onClose} place={everywhere} />
        ))}
      </ul>
      {!busy && found && found.next !== null && (
        <button type="button" class="button button-secondary" onClick={() => searchOlder(found)}>
          Search older messages
        </button>
      )}
    </Popover>
  )
}

function foundText({ messages, next }: Found): string {
  if (messages.length === 0) return next === null ? 'No messages found' : 'No messages found yet'
  return `${messages.length}${next === null ? '' : '+'} found, newest first`
}
