import { useRef, useState } from 'preact/hooks'
import { emoji } from './emoji.ts'
import { Popover } from './popover.tsx'

const columns = 8
const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }

type PickerProps = {
  label: string
  name: (emoji: string) => string
  onPick: (emoji: string) => void
  onClose: () => void
}

/** Emoji picker: type to search, arrow keys to move, Enter to pick. */
export function EmojiPicker({ label, name, onPick, onClose }: PickerProps) {
  const [query, setQuery] = useState('')
  const grid = useRef<HTMLDivElement>(null)
  const found = emoji.filter(([, words]) => words.includes(query.trim().toLowerCase()))
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const inInput = event.target instanceof HTMLInputElement
    if (step === undefined || (inInput && event.key !== 'ArrowDown')) return
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(event.target as HTMLButtonElement)
    const next = inInput ? buttons[0] : buttons[at + step]
    if (next) next.focus()
    else if (at + step < 0) grid.current?.parentElement?.querySelector('input')?.focus()
    event.preventDefault()
  }
  return (
    <Popover label={label} onClose={onClose} side="above" class="picker">
      <div onKeyDown={onKeyDown}>
        <input
          class="input"
          aria-label="Search emoji"
          placeholder="Search emoji"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            if (found[0]) onPick(found[0][0])
          }}
        />
        <div ref={grid} class="picker-grid">
          {found.map(([each]) => (
            <button key={each} type="button" aria-label={name(each)} onClick={() => onPick(each)}>
              {each}
            </button>
          ))}
        </div>
        {found.length === 0 && <p class="picker-none">No matching emoji</p>}
      </div>
    </Popover>
  )
}
