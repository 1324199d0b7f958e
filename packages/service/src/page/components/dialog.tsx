import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    return () => before instanceof HTMLElement && before.isConnected && before.focus()
  }, [])
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
