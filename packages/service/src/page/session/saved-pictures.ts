// Pictures of drafts, in a database of the browser: they survive a reload. A browser without it, or without room, keeps only the texts.

const table = 'pictures'
const keptMs = 7 * 24 * 60 * 60 * 1000

interface Saved {
  file: File
  at: number
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the database of the browser refused'))
  })

let opened: Promise<IDBDatabase> | undefined
async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  if (!opened) {
    const request = indexedDB.open('botwright-drafts', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(table)
    opened = settled(request)
  }
  return (await opened).transaction(table, mode).objectStore(table)
}

const below = (prefix: string): IDBKeyRange => IDBKeyRange.bound(prefix, `${prefix}\uffff`)
const ignore = (): void => {}

/** Saves the picture of a draft, or deletes it. */
export function savePicture(key: string, file: File | undefined): void {
  store('readwrite')
    .then((pictures): Promise<unknown> =>
      file ? settled(pictures.put({ file, at: Date.now() } satisfies Saved, key)) : settled(pictures.delete(key)),
    )
    .catch(ignore)
}

export function deletePictures(prefix: string): void {
  store('readwrite')
    .then((pictures) => settled(pictures.delete(below(prefix))))
    .catch(ignore)
}

/** The pictures whose keys begin with the prefix, with the rest of their keys. Deletes those of tabs that were closed long ago. */
export async function loadPictures(prefix: string): Promise<[rest: string, file: File][]> {
  try {
    const pictures = await store('readwrite')
    const [keys, all] = await Promise.all([settled(pictures.getAllKeys()), settled<Saved[]>(pictures.getAll())])
    const found: [string, File][] = []
    for (const [index, key] of keys.entries()) {
      const { file, at } = all[index]!
      if (String(key).startsWith(prefix)) found.push([String(key).slice(prefix.length), file])
      else if (at < Date.now() - keptMs) pictures.delete(key)
    }
    return found
  } catch {
    return []
  }
}
