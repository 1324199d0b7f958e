import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Suggestion } from './completion.ts'

/** The completions for the word at the cursor; the input keeps the focus. */
export function Suggestions({
  list,
  active,
  pick,
}: {
  list: Suggestion[]
  active: number
  pick: (at: number) => void
}) {
  const ref = useRef<HTMLUListElement>(null)
  useLayoutEffect(() => {
    if (active >= 0) ref.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <ul ref={ref} class="completion-list" id="completion" role="listbox" aria-label="Suggestions">
      {list.map((each, index) => (
        <li
          key={each.insert + each.from}
          id={`completion-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => {
            event.preventDefault()
            pick(index)
          }}
        >
          <span class="completion-label">{each.label}</span>
          <span class="completion-detail">{each.detail}</span>
          <span class="completion-from">{each.from}</span>
        </li>
      ))}
    </ul>
  )
}
