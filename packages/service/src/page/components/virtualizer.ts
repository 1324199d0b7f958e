import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

type Own = 'observeElementRect' | 'observeElementOffset' | 'scrollToFn' | 'onChange' | 'measureElement'
type Options = Omit<VirtualizerOptions<HTMLElement, HTMLElement>, Own>

/**
 * The height of a row. A new row keeps its known or usual height until the browser reports its real one, which is still before
 * the frame is painted: reading it at once would compute the layout again for each new row.
 */
const heightOf: NonNullable<VirtualizerOptions<HTMLElement, HTMLElement>['measureElement']> = (
  element,
  entry,
  list,
) => {
  if (entry) return measureElement(element, entry, list)
  const index = list.indexFromElement(element)
  return list.itemSizeCache.get(list.options.getItemKey(index)) ?? list.options.estimateSize(index)
}

/** The window of a long list: renders the component again whenever another part of the list is in view. */
export function useVirtualizer(options: Options): Virtualizer<HTMLElement, HTMLElement> {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0)
  const all = {
    ...options,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    measureElement: heightOf,
    onChange: () => render(undefined),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(all))
  virtualizer.setOptions(all)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  return virtualizer
}
