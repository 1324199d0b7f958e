import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren }

/** A modal; the browser keeps the focus inside and closes it on Esc. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => ref.current?.showModal(), [])
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
