import { sessionKey } from '../navigation/split-screen.ts'
import { changeDraft, type Draft, draftOf, drafts, isEmpty } from '../state/drafts.ts'
import { deletePictures, loadPictures, savePicture } from './saved-pictures.ts'

// Each tab keeps the drafts of its people: texts, replies and edits in `sessionStorage`, which holds no files, and pictures in a database.

const saveWaitMs = 300
const keyOf = (personId: string): string => sessionKey(`botwright-drafts-${personId}`)

/** The id of this tab, or of a half of the split screen. */
function tabId(): string {
  const key = sessionKey('botwright-tab')
  const known = sessionStorage.getItem(key)
  if (known !== null) return known
  const id = String(Math.random()).slice(2)
  sessionStorage.setItem(key, id)
  return id
}

/** The person whose drafts are shown. */
let owner: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
/** The pictures that are saved, by their keys. */
let saved = new Map<string, File>()

/** The key of the picture in the input of a channel, or of a message that the person has sent there. */
const pictureKey = (channelId: string, messageId = ''): string => `${channelId} ${messageId}`
const databaseKey = (key: string): string => `${tabId()} ${owner} ${key}`

/** All pictures of the drafts, by their keys. */
function pictures(): Map<string, File> {
  const all = new Map<string, File>()
  for (const [channelId, { picture, sending, unsent }] of Object.entries(drafts.value)) {
    if (picture) all.set(pictureKey(channelId), picture)
    for (const each of [...sending, ...unsent]) if (each.picture) all.set(pictureKey(channelId, each.id), each.picture)
  }
  return all
}

/** The parts of a draft that survive a reload. Pictures cannot be JSON. */
function kept({ text, replyTo, isReplyGone, edits, sending, unsent }: Draft): Partial<Draft> | undefined {
  const lost = [...unsent, ...sending].map(({ picture: _picture, ...rest }) => rest)
  const isNothing = isEmpty({ text, replyTo }) && lost.length === 0 && Object.keys(edits).length === 0
  return isNothing ? undefined : { text, replyTo, isReplyGone, edits, unsent: lost }
}

function saveNow(): void {
  clearTimeout(timer)
  timer = undefined
  if (owner === undefined) return
  const all = Object.entries(drafts.value).flatMap(([id, each]) => {
    const part = kept(each)
    return part ? [[id, part] as const] : []
  })
  try {
    if (all.length === 0) sessionStorage.removeItem(keyOf(owner))
    else sessionStorage.setItem(keyOf(owner), JSON.stringify(Object.fromEntries(all)))
  } catch {
    // The storage is full: the drafts stay as they were saved last.
  }
}

drafts.subscribe(() => {
  if (owner === undefined) return
  timer ??= setTimeout(saveNow, saveWaitMs)
  const now = pictures()
  // A picture that moves from the input to a message is saved before it is deleted.
  for (const [key, picture] of now) if (saved.get(key) !== picture) savePicture(databaseKey(key), picture)
  for (const key of saved.keys()) if (!now.has(key)) savePicture(databaseKey(key), undefined)
  saved = now
})
addEventListener('pagehide', saveNow)

/** Gives a draft the picture that was saved for it. Returns whether there is such a draft without one. */
function restore(key: string, picture: File): boolean {
  const [channelId, messageId] = key.split(' ') as [string, string]
  const { unsent, picture: own } = draftOf(channelId)
  const lacks = messageId === '' ? !own : unsent.some((each) => each.id === messageId && !each.picture)
  if (!lacks) return false
  // Before the change: the picture need not be saved again.
  saved.set(key, picture)
  if (messageId === '') changeDraft(channelId, { picture })
  else changeDraft(channelId, { unsent: unsent.map((each) => (each.id === messageId ? { ...each, picture } : each)) })
  return true
}

/** Shows the drafts of a person who enters. */
export async function openDrafts(personId: string): Promise<void> {
  const texts = sessionStorage.getItem(keyOf(personId))
  drafts.value = {}
  for (const [id, part] of Object.entries(JSON.parse(texts ?? '{}') as Record<string, Partial<Draft>>)) {
    const edits = Object.values(part.edits ?? {}).map(({ message, text }) => [message.id, { message, text }] as const)
    changeDraft(id, { ...part, edits: Object.fromEntries(edits) })
  }
  owner = personId
  saved = new Map()
  for (const [key, file] of await loadPictures(databaseKey(''))) {
    if (owner !== personId) return
    if (!restore(key, file) && !pictures().has(key)) savePicture(databaseKey(key), undefined)
  }
}

/** Hides the drafts of a person who leaves the window; they are back when the person is. */
export function closeDrafts(): void {
  saveNow()
  owner = undefined
  drafts.value = {}
}

/** Forgets the drafts of a person who signs out. */
export function forgetDrafts(personId: string): void {
  sessionStorage.removeItem(keyOf(personId))
  deletePictures(`${tabId()} ${personId} `)
}
