import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { takeFocus } from './focus.ts'

type DialogProps = {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** Without heading and padding; screen readers still get the title. */
  bare?: boolean
  wide?: boolean
}

/** A modal dialog; the browser keeps the focus inside and closes it on Esc. */
export function Dialog({ title, onClose, children, bare = false, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const before = useRef<Element | null>(null)
  // Before the first paint: the keys that someone types at once belong to the dialog.
  useLayoutEffect(() => {
    before.current = document.activeElement
    ref.current?.showModal()
  }, [])
  // The focus is lost once the dialog is removed; what was focused meanwhile keeps it.
  useEffect(
    () => () => {
      const { current } = before
      if (document.activeElement === document.body && current instanceof HTMLElement) takeFocus(current)
    },
    [],
  )
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-label={title}
      onClose={onClose}
      onPointerDown={(event) => event.target === ref.current && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {bare ? (
        children
      ) : (
        <div class="dialog-body">
          <h2>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  )
}
