import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isComposing, takeFocus } from './focus.ts'

type Side = 'above' | 'below'
type PopoverProps = {
  label: string
  onClose: () => void
  children: ComponentChildren
  /** The preferred side; without enough room it opens on the other one. */
  side?: Side
  align?: 'start' | 'end'
  role?: 'dialog' | 'menu'
  class?: string
}

const gapPx = 6
const edgePx = 8

/** Positions the box next to its anchor, inside the window. */
function place(box: HTMLElement, anchor: Element, side: Side, align: 'start' | 'end'): void {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = box
  const below = at.bottom + gapPx
  const above = at.top - gapPx - height
  const fitsBelow = below + height <= innerHeight - edgePx
  const wanted = side === 'below' ? (fitsBelow || above < edgePx ? below : above) : above >= edgePx ? above : below
  const left = align === 'start' ? at.left : at.right - width
  box.style.top = `${Math.max(edgePx, Math.min(wanted, innerHeight - height - edgePx))}px`
  box.style.left = `${Math.max(edgePx, Math.min(left, innerWidth - width - edgePx))}px`
}

/**
 * A small box next to its parent element. Closes on Esc and on a click outside; in menus, arrow keys move
 * between the buttons.
 */
export function Popover({
  label,
  onClose,
  children,
  side = 'below',
  align = 'end',
  role = 'dialog',
  ...rest
}: PopoverProps) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = ref.current
    if (box?.parentElement) place(box, box.parentElement, side, align)
  })
  // Before the first paint: someone who presses Esc at once must press it inside the box.
  useLayoutEffect(() => {
    const before = document.activeElement
    const box = ref.current
    // A box without buttons gets the focus itself, because Esc closes it only from inside.
    const first = box?.querySelector<HTMLElement>('input, button, a') ?? box
    first?.focus({ preventScroll: true })
    const outside = (event: Event) => !box?.parentElement?.contains(event.target as Node) && onClose()
    document.addEventListener('pointerdown', outside)
    return () => {
      document.removeEventListener('pointerdown', outside)
      const focused = document.activeElement
      if (before instanceof HTMLElement && (focused === document.body || box?.contains(focused))) takeFocus(before)
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape') onClose()
    else {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step === undefined || role !== 'menu') return
      const items = [...(ref.current?.querySelectorAll<HTMLElement>('button, a') ?? [])]
      const at = items.indexOf(document.activeElement as HTMLElement)
      items[(at + step + items.length) % items.length]?.focus()
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={ref}
      class={`popover ${rest.class ?? ''}`}
      role={role}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  )
}
