import { peopleStream } from '../../lib/people-api/paths.ts'

// HTTP/1.1 allows a browser six connections per host, so one stream per page would block the seventh page and every request of the others.

/** Follows the stream as a person. A port follows one person, and is closed afterwards. */
type Follow = { personId: string; token: string; key: string | undefined }
/** From a page to the hub. */
export type ToHub = Follow | 'leave'
/**
 * From the hub to a page: an event as JSON `{type, data}`; the service's time in milliseconds, before `open` and when its clock is moved;
 * `open` once events arrive; `lost` when no more events arrive.
 */
export type FromHub = { event: string } | { serviceNow: number } | 'open' | 'lost'

/** The connection to the service. */
interface Stream {
  source: EventSource
  /** Resolves with the id of the stream; never if the service refuses it. */
  id: Promise<string>
}

interface Followed {
  access: Follow
  ports: Set<MessagePort>
  isOpen: boolean
  receive: (event: MessageEvent<string>) => void
}

let stream: Stream | undefined
/** The people whose events the stream sends, or will send. */
const people = new Map<string, Followed>()
/** How far the service's clock is ahead of this computer's. */
let aheadMs = 0
/** The last request that changes the people of the stream. Requests in order: a page that reloads leaves and returns. */
let last: Promise<unknown> = Promise.resolve()

/** Serves a page: one stream of the browser sends the events of all people on its pages. */
export function attach(port: MessagePort): void {
  const leavePort = () => leave(port)
  port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => {
    if (data === 'leave') leavePort()
    else follow(port, data)
  })
  // Where browsers have this event, it follows the end of a page that sent no 'leave', such as after a crash.
  port.addEventListener('close', leavePort)
  port.start()
}

function welcome(port: MessagePort): void {
  port.postMessage({ serviceNow: Date.now() + aheadMs } satisfies FromHub)
  port.postMessage('open' satisfies FromHub)
}
const post = ({ ports }: Followed, message: FromHub): void => ports.forEach((port) => port.postMessage(message))

function follow(port: MessagePort, access: Follow): void {
  const { personId } = access
  const known = people.get(personId)
  if (known) {
    known.ports.add(port)
    if (known.isOpen) welcome(port)
    return
  }
  const ports = new Set([port])
  const receive = ({ data }: MessageEvent<string>) => ports.forEach((each) => each.postMessage({ event: data }))
  const followed = { access, ports, isOpen: false, receive }
  people.set(personId, followed)
  void add(followed)
}

async function add(followed: Followed): Promise<void> {
  const { access } = followed
  const isFirst = stream === undefined
  const { source, id } = (stream ??= open(access))
  source.addEventListener(access.personId, followed.receive)
  const streamId = await id
  const isAdded = isFirst || (await change('PUT', streamId, access))
  if (people.get(access.personId) !== followed) return
  if (isAdded) {
    followed.isOpen = true
    followed.ports.forEach(welcome)
  } else drop(source, followed)
}

function drop(source: EventSource, followed: Followed): void {
  const { personId } = followed.access
  source.removeEventListener(personId, followed.receive)
  people.delete(personId)
  post(followed, 'lost')
}

function open({ token, key }: Follow): Stream {
  const query = new URLSearchParams({ shared: 'true', token, ...(key !== undefined && { key }) })
  const source = new EventSource(`${peopleStream}?${query}`)
  source.onerror = () => {
    if (stream?.source === source) close()
  }
  const id = new Promise<string>((resolve) => {
    source.addEventListener('stream', ({ data }: MessageEvent<string>) => resolve(data), { once: true })
  })
  source.addEventListener('clock', ({ data }: MessageEvent<string>) => {
    const serviceNow = Number(data)
    aheadMs = serviceNow - Date.now()
    for (const each of people.values()) post(each, { serviceNow })
  })
  // A banned person: the others stay.
  source.addEventListener('end', ({ data }: MessageEvent<string>) => {
    const banned = people.get(data)
    if (banned) drop(source, banned)
  })
  return { source, id }
}

/** Ends the stream. The pages then decide when to follow again. */
function close(): void {
  stream?.source.close()
  stream = undefined
  const lost = [...people.values()]
  people.clear()
  for (const each of lost) post(each, 'lost')
}

/** Adds a person to the stream, or removes them. Returns whether the service did so. */
function change(method: 'PUT' | 'DELETE', streamId: string, { token, key }: Follow): Promise<boolean> {
  const headers = { authorization: `Person ${token}`, ...(key !== undefined && { 'x-service-key': key }) }
  const done = last
    .then(() => fetch(`${peopleStream}/${streamId}`, { method, headers }))
    .then(
      ({ ok }) => ok,
      () => false,
    )
  last = done
  return done
}

function leave(port: MessagePort): void {
  for (const [personId, followed] of people) {
    if (!followed.ports.delete(port) || followed.ports.size > 0) continue
    people.delete(personId)
    if (people.size === 0) return close()
    stream?.source.removeEventListener(personId, followed.receive)
    void stream?.id.then((id) => change('DELETE', id, followed.access))
  }
}
