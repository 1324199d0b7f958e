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
/** The pictures that are saved, by channel. */
let saved: Record<string, File> = {}

const pictureKey = (channelId: string): string => `${tabId()} ${owner} ${channelId}`

/** The parts of a draft that survive a reload. */
function kept({ text, replyTo, isReplyGone, edits, sending, unsent }: Draft): Partial<Draft> | undefined {
  const lost = [...unsent, ...sending]
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
  if (all.length === 0) sessionStorage.removeItem(keyOf(owner))
  else sessionStorage.setItem(keyOf(owner), JSON.stringify(Object.fromEntries(all)))
}

drafts.subscribe((now) => {
  if (owner === undefined) return
  timer ??= setTimeout(saveNow, saveWaitMs)
  for (const id of new Set([...Object.keys(now), ...Object.keys(saved)])) {
    const { picture } = draftOf(id)
    if (picture === saved[id]) continue
    savePicture(pictureKey(id), picture)
    if (picture) saved[id] = picture
    else delete saved[id]
  }
})
addEventListener('pagehide', saveNow)

/** Shows the drafts of a person who enters. */
export async function openDrafts(personId: string): Promise<void> {
  const texts = sessionStorage.getItem(keyOf(personId))
  drafts.value = {}
  for (const [id, part] of Object.entries(JSON.parse(texts ?? '{}') as Record<string, Partial<Draft>>)) {
    const edits = Object.values(part.edits ?? {}).map(({ message, text }) => [message.id, { message, text }] as const)
    changeDraft(id, {
      ...part,
      edits: Object.fromEntries(edits),
      ...(part.unsent?.length && { refusal: 'The page was closed before the service confirmed this message.' }),
    })
  }
  owner = personId
  saved = {}
  const prefix = pictureKey('')
  for (const [id, file] of await loadPictures(prefix)) {
    if (owner !== personId || draftOf(id).picture) continue
    saved[id] = file
    changeDraft(id, { picture: file })
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
