import { getHeapStatistics } from 'node:v8'

/** The memory of a thread at its last heartbeat. */
export interface WorkerHeap {
  usedBytes: number
  /** Of the process. */
  rssBytes: number
  limitBytes: number
}

/** A heap that is this full is collected all the time, and the thread answers no heartbeat. */
const FULL_SHARE = 0.85

/** The heap of a thread now. */
export const heapOf = (usedBytes: number): WorkerHeap => ({
  usedBytes,
  rssBytes: process.memoryUsage.rss(),
  limitBytes: getHeapStatistics().heap_size_limit,
})

/** Whether a thread that died, or that answers no heartbeat, has no memory left. It cannot report its heap: the process has grown by it. */
export function isOutOfMemory(
  error: Error | undefined,
  last: WorkerHeap,
  rssBytes = process.memoryUsage.rss(),
): boolean {
  if ((error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') return true
  return error === undefined && last.usedBytes + rssBytes - last.rssBytes >= last.limitBytes * FULL_SHARE
}
