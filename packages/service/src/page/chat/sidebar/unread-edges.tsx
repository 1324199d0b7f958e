import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icons.tsx'
import { unread, view } from '../../state/store.ts'

type Edge = 'above' | 'below'
const edges = ['above', 'below'] as const
/** A row counts as seen if at least this much of it is in view. */
const seenPx = 12

/** The nearest unread channel out of view in each direction. */
function outOfView(box: HTMLElement): Partial<Record<Edge, HTMLElement>> {
  const { top, bottom } = box.getBoundingClientRect()
  const found: Partial<Record<Edge, HTMLElement>> = {}
  for (const row of box.querySelectorAll<HTMLElement>('.channel.is-unread:not(.is-current)')) {
    const at = row.getBoundingClientRect()
    if (at.bottom < top + seenPx) found.above = row
    else if (at.top > bottom - seenPx) found.below ??= row
  }
  return found
}

/** A part of the sidebar that scrolls: a button at its edge leads to unread channels out of view. */
export function UnreadEdges({ class: name, children }: { class: string; children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<Partial<Record<Edge, HTMLElement>>>({})
  const look = () => {
    if (!ref.current) return
    const now = outOfView(ref.current)
    setHidden((known) => (edges.every((each) => known[each] === now[each]) ? known : now))
  }
  useEffect(look, [unread.value, view.value])
  useEffect(() => {
    const watch = new ResizeObserver(look)
    if (ref.current) watch.observe(ref.current)
    return () => watch.disconnect()
  }, [])
  return (
    <div class={`sidebar-part has-${name}`}>
      <div class={name} ref={ref} onScroll={look}>
        {children}
      </div>
      {edges.map(
        (edge) =>
          hidden[edge] && (
            <button
              key={edge}
              type="button"
              class={`unread-edge is-${edge}`}
              onClick={() => {
                hidden[edge]?.scrollIntoView({ block: 'center' })
                // This button is removed: the keys go on from the channel.
                hidden[edge]?.focus({ preventScroll: true })
              }}
            >
              <Icon name={edge === 'above' ? 'up' : 'down'} size={13} />
              New messages {edge}
            </button>
          ),
      )}
    </div>
  )
}
