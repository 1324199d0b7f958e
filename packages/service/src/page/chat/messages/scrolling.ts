import { defaultRangeExtractor, type Range } from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { takeFocus } from '../../components/focus.ts'
import { useVirtualizer } from '../../components/virtualizer.ts'
import { loadMessages } from '../../state/actions.ts'
import { markRead, markWatched } from '../../state/read-marks.ts'
import { usualHeight } from './message-rows.tsx'
import { atEnd, complete, type Entry, highlighted, messages } from '../../state/store.ts'
import { editedIds } from '../../state/drafts.ts'
import { attempt } from '../../state/toasts.ts'

const endPx = 60
const usualWidthPx = 800
const nearTopPx = 240
const highlightMs = 2_000
/** Rows kept above and below the visible ones, so that fast scrolling and the arrow keys find them. */
const spareRows = 6
const spareRowsAtEnd = 3

type Box = RefObject<HTMLDivElement | null>
type Rows = ReturnType<typeof useRows>

const indexOf = (shown: readonly Entry[], id: string | undefined): number =>
  id === undefined ? -1 : shown.findIndex(({ message }) => message.id === id)

/**
 * The rows in view. At the end of the list, these are the last ones: new messages are rendered once, in their final place, and not again
 * after the list has scrolled to them.
 */
function inView(range: Range): number[] {
  if (!atEnd.value) return defaultRangeExtractor(range)
  const rows = range.endIndex - range.startIndex + 1 + spareRowsAtEnd
  const first = Math.max(0, range.count - rows)
  return Array.from({ length: range.count - first }, (_, at) => first + at)
}

/** The rows of the list that are in the document. */
export function useRows(box: Box, shown: readonly Entry[]) {
  // Removing a row would lose the focus, an open menu or the text of an edit.
  const kept = (): number[] => {
    const focused = box.current?.contains(document.activeElement)
      ? document.activeElement?.closest<HTMLElement>('.log-row')?.dataset.index
      : undefined
    const edited = editedIds.value.map((id) => indexOf(shown, id))
    return [Number(focused ?? -1), ...edited].filter((index) => index >= 0 && index < shown.length)
  }
  // Reading the width for each row would compute the layout again.
  const width = useRef(usualWidthPx)
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => (width.current = entry!.contentRect.width))
    if (box.current) watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  return useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => usualHeight(shown[index]!, shown[index - 1], width.current),
    getItemKey: (index) => shown[index]!.message.id,
    rangeExtractor: (range: Range) => [...new Set([...inView(range), ...kept()])].sort((a, b) => a - b),
    overscan: spareRows,
    anchorTo: 'end',
    scrollEndThreshold: endPx,
  })
}

/** Stays at the newest message while scrolled to the end. */
export function useEnd(box: Box, rows: Rows, { shown, channelId }: { shown: readonly Entry[]; channelId: string }) {
  /** The scroll position when the list was last at its end: only a person's scrolling leads above it. */
  const endTop = useRef(0)
  const toEnd = () => {
    rows.scrollToEnd()
    endTop.current = box.current?.scrollTop ?? 0
  }
  useLayoutEffect(() => {
    // A composer that grows must not push the newest message out of view.
    const watch = new ResizeObserver(() => atEnd.value && toEnd())
    if (box.current) watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (atEnd.value) toEnd()
    if (shown.length > 0) markWatched()
  }, [shown])
  const onScroll = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) => {
    if (scrollHeight - scrollTop - clientHeight < endPx) {
      endTop.current = scrollTop
      atEnd.value = true
      markRead(channelId)
    } else if (atEnd.value && scrollTop >= endTop.current) {
      // New rows turned out to be higher than usual, which moved the end away.
      toEnd()
    } else atEnd.value = false
  }
  return { toEnd, onScroll }
}

/** Scrolls to the highlighted message and focuses it. Returns a function that focuses the first or last loaded message. */
export function useFocus(box: Box, rows: Rows, shown: readonly Entry[]): (index: 0 | -1) => void {
  /** The message to focus as soon as its row is in the document. */
  const toFocus = useRef<string | undefined>(undefined)
  const light = highlighted.value
  const lightIndex = indexOf(shown, light)
  // Must run before the next paint and after the effects of `useEnd`: a scroll event in between would jump back to the end.
  useLayoutEffect(() => {
    if (light === undefined || lightIndex < 0) return
    atEnd.value = false
    toFocus.current = light
    rows.scrollToIndex(lightIndex, { align: 'center' })
    const end = () => {
      if (highlighted.value === light) highlighted.value = undefined
    }
    const timer = setTimeout(end, highlightMs)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [light, lightIndex >= 0])
  const focusWanted = () => {
    if (toFocus.current === undefined) return
    const target = box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(toFocus.current)}"]`)
    takeFocus(target, { preventScroll: true })
    if (target) toFocus.current = undefined
  }
  useLayoutEffect(focusWanted)
  // The message may be outside of the document.
  return (index) => {
    toFocus.current = shown.at(index)?.message.id
    rows.scrollToIndex(index < 0 ? shown.length - 1 : index)
    focusWanted()
  }
}

/** Loads older messages near the top of the list. */
export function useOlder(box: Box, { shown, channelId }: { shown: readonly Entry[]; channelId: string }) {
  const [loading, setLoading] = useState(false)
  const known = complete.value[channelId]
  const loadOlder = async () => {
    const oldest = messages.value[channelId]?.[0]
    if (loading || known !== false || !oldest) return
    setLoading(true)
    await attempt(() => loadMessages(channelId, oldest.created_at))
    setLoading(false)
  }
  // In a tall window nothing scrolls after the first page, so load more right away.
  useEffect(() => {
    const { current } = box
    if (current && known === false && current.scrollHeight <= current.clientHeight) void loadOlder()
  }, [shown, known, loading])
  const onScroll = ({ scrollTop }: HTMLElement) => {
    if (scrollTop < nearTopPx) void loadOlder()
  }
  return { loading, onScroll }
}
