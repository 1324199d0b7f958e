import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isNarrow } from '../components/narrow.ts'

const key = 'botwright-inspector-size'
const least = 280
const stepPx = 24
/** On a phone it is below the chat, and its filters need room. */
const size = signal(Number(localStorage.getItem(key)) || (isNarrow() ? Math.round(innerHeight * 0.62) : 420))

/** The maximum size, which leaves room for the chat. */
const most = (): number => (isNarrow() ? innerHeight * 0.8 : innerWidth - 620)
function setSize(px: number): void {
  size.value = Math.round(Math.max(least, Math.min(px, Math.max(least, most()))))
  localStorage.setItem(key, String(size.value))
}

/** The edge of the inspector: drag it or use the arrow keys. */
export function Resizer() {
  const px = size.value
  useEffect(() => {
    document.documentElement.style.setProperty('--inspector-size', `${px}px`)
  }, [px])
  const narrow = isNarrow()
  const pull = (event: PointerEvent) => {
    const edge = event.currentTarget as HTMLElement
    if (!edge.hasPointerCapture(event.pointerId)) return
    setSize(isNarrow() ? innerHeight - event.clientY : innerWidth - event.clientX)
  }
  return (
    <div
      class="resizer"
      role="separator"
      tabIndex={0}
      aria-label="Inspector size"
      aria-orientation={narrow ? 'horizontal' : 'vertical'}
      aria-valuemin={least}
      aria-valuemax={Math.round(Math.max(least, most()))}
      aria-valuenow={px}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={pull}
      onKeyDown={(event) => {
        const grow = event.key === 'ArrowLeft' || event.key === 'ArrowUp'
        if (!grow && event.key !== 'ArrowRight' && event.key !== 'ArrowDown') return
        event.preventDefault()
        setSize(size.value + (grow ? stepPx : -stepPx))
      }}
    />
  )
}
