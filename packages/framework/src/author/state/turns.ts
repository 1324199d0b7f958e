const queues = new WeakMap<object, Map<string, Promise<void>>>()

/**
 * Runs `work` after all earlier work of `owner` on the same key in this thread has ended, or has called `release`: so only other
 * threads can write between its reading and its writing.
 */
export async function inTurn<T>(owner: object, key: string, work: (release: () => void) => Promise<T>): Promise<T> {
  let queue = queues.get(owner)
  if (!queue) queues.set(owner, (queue = new Map<string, Promise<void>>()))
  const before = queue.get(key)
  let release!: () => void
  const through = new Promise<void>((resolve) => (release = resolve))
  const tail = before ? before.then(() => through) : through
  queue.set(key, tail)
  try {
    await before
    return await work(release)
  } finally {
    release()
    if (queue.get(key) === tail) queue.delete(key)
  }
}
