import { logFailure } from '../log-failure.ts'
import type { StreamEvent, StreamEventType } from '../people-api/stream-events.ts'

interface Page {
  /** Resolves once the event is written. */
  send: (type: StreamEventType, data: string) => Promise<unknown>
  /** Ends the connection. */
  end: () => void
}

/** The open streams of all pages, by person. */
export class Stream {
  readonly #open = new Map<string, Set<Page>>()

  /** Adds a page of a person; the returned function removes it. */
  subscribe(userId: string, page: Page): () => void {
    const pages = this.#open.get(userId) ?? new Set()
    this.#open.set(userId, pages.add(page))
    return () => {
      pages.delete(page)
      if (pages.size === 0 && this.#open.get(userId) === pages) this.#open.delete(userId)
    }
  }

  /** Ends the connections of a banned person. */
  end(userId: string): void {
    for (const page of this.#open.get(userId) ?? []) page.end()
  }

  /** Ends all connections, on shutdown or reset. */
  endAll(): void {
    for (const pages of this.#open.values()) for (const page of pages) page.end()
  }

  /** The people with an open page. */
  listeners(): string[] {
    return [...this.#open.keys()]
  }

  listens(userId: string): boolean {
    return this.#open.has(userId)
  }

  /** The number of open pages of a person. */
  count(userId: string): number {
    return this.#open.get(userId)?.size ?? 0
  }

  send<T extends StreamEventType>(userId: string, type: T, data: StreamEvent<T>): void {
    const pages = this.#open.get(userId)
    if (pages === undefined) return
    const json = JSON.stringify(data)
    for (const page of pages) {
      page.send(type, json).catch((error: unknown) => logFailure(`service: the stream of ${userId} failed:`, error))
    }
  }
}
