import type { StreamEvent, StreamEventType } from './stream-events.ts'

/** So many events may wait until a page takes them. */
const UNSENT = 1000

interface Page {
  /** Resolves when the page has taken the event. */
  send: (type: StreamEventType, data: string) => Promise<unknown>
  /** Ends the connection. */
  end: () => void
}

/** A page that does not read is let go: it comes back and reads anew, and the service holds no more for it. */
function boundedPage({ send, end }: Page): Page {
  let unsent = 0
  return {
    async send(type, data) {
      if (unsent >= UNSENT) return end()
      unsent++
      await send(type, data)
      unsent--
    },
    end,
  }
}

/** The open pages: who listens, and how to write to each. */
export class Stream {
  readonly #open = new Map<string, Set<Page>>()

  /** Adds a listener of a person; the result removes it. */
  subscribe(userId: string, page: Page): () => void {
    const pages = this.#open.get(userId) ?? new Set()
    const bounded = boundedPage(page)
    this.#open.set(userId, pages.add(bounded))
    return () => {
      pages.delete(bounded)
      if (pages.size === 0 && this.#open.get(userId) === pages) this.#open.delete(userId)
    }
  }

  /** Ends the connections of one person, who is banned. */
  end(userId: string): void {
    for (const page of this.#open.get(userId) ?? []) page.end()
  }

  /** Ends every connection: the service closes, or starts anew. */
  endAll(): void {
    for (const pages of this.#open.values()) for (const page of pages) page.end()
  }

  /** The people who listen now. */
  listeners(): string[] {
    return [...this.#open.keys()]
  }

  listens(userId: string): boolean {
    return this.#open.has(userId)
  }

  send<T extends StreamEventType>(userId: string, type: T, data: StreamEvent<T>): void {
    const pages = this.#open.get(userId)
    if (pages === undefined) return
    const json = JSON.stringify(data)
    for (const page of pages) void page.send(type, json)
  }
}
