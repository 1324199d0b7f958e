import { useEffect, useRef, useState } from 'preact/hooks'
import { allEmoji, common, findEmoji, loadEmoji } from './emoji.ts'
import { Popover } from './popover.tsx'
import { showError } from '../state/toasts.ts'
import { isComposing } from './focus.ts'

const columns = 8
const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }
/** More results than anyone scrolls through. */
const mostFound = 96

/** The first emoji of each group is its tab. */
function groupTabs(): { group: string; face: string }[] {
  const faces = new Map<string, string>()
  for (const { group, emoji } of allEmoji.value ?? []) if (!faces.has(group)) faces.set(group, emoji)
  return [{ group: 'Common', face: '★' }, ...[...faces].map(([group, face]) => ({ group, face }))]
}

function emojiOf(group: string, query: string): string[] {
  if (query.trim() !== '') return findEmoji(query, mostFound).map((each) => each.emoji)
  if (group === 'Common') return common
  return (allEmoji.value ?? []).filter((each) => each.group === group).map((each) => each.emoji)
}

type PickerProps = {
  label: string
  name: (emoji: string) => string
  onPick: (emoji: string) => void
  onClose: () => void
}

/** Emoji picker: type to search, arrow keys to move, Enter to pick. */
export function EmojiPicker({ label, name, onPick, onClose }: PickerProps) {
  const [query, setQuery] = useState('')
  const [group, setGroup] = useState('Common')
  const grid = useRef<HTMLDivElement>(null)
  const found = emojiOf(group, query)
  useEffect(() => {
    loadEmoji().catch(showError)
  }, [])
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
      <input
        class="input"
        aria-label="Search emoji"
        placeholder="Search emoji"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return
          onKeyDown(event)
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found[0]) onPick(found[0])
        }}
      />
      <div class="picker-groups" role="group" aria-label="Groups">
        {groupTabs().map((each) => (
          <button
            key={each.group}
            type="button"
            title={each.group}
            aria-label={each.group}
            aria-pressed={query === '' && group === each.group}
            onClick={() => {
              setQuery('')
              setGroup(each.group)
              grid.current?.scrollTo(0, 0)
            }}
          >
            {each.face}
          </button>
        ))}
      </div>
      <div ref={grid} class="picker-grid" onKeyDown={onKeyDown}>
        {found.map((each) => (
          <button key={each} type="button" aria-label={name(each)} onClick={() => onPick(each)}>
            {each}
          </button>
        ))}
      </div>
      {found.length === 0 && <p class="picker-none">{allEmoji.value ? 'No matching emoji' : 'Loading emoji…'}</p>}
    </Popover>
  )
}
