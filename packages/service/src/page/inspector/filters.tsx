import { Icon } from '../components/icons.tsx'
import { entries, isProblem, type Kind, kind, pollsShown, type, types } from '../state/inspector.ts'

const kinds: readonly { value: Kind; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'events', label: 'Events' },
  { value: 'calls', label: 'Calls' },
  { value: 'problems', label: 'Problems' },
]

/** Filters for the journal. */
export function Filters() {
  const problems = entries.value.filter(isProblem).length
  return (
    <div class="filters">
      <fieldset class="segmented">
        <legend class="hidden-label">Show</legend>
        {kinds.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="inspector-kind"
              checked={kind.value === value}
              onChange={() => (kind.value = value)}
            />
            <span>
              {label}
              {value === 'problems' && problems > 0 && <b class="filter-count">{problems}</b>}
            </span>
          </label>
        ))}
      </fieldset>
      <span class="select select-small">
        <select
          class="input"
          aria-label="Type"
          value={type.value}
          onChange={(event) => (type.value = event.currentTarget.value)}
        >
          <option value="">All types</option>
          {types.value.map((each) => (
            <option key={each} value={each} selected={type.value === each}>
              {each}
            </option>
          ))}
        </select>
        <Icon name="down" size={13} />
      </span>
      <label class="check">
        <input
          type="checkbox"
          checked={pollsShown.value}
          onChange={(event) => (pollsShown.value = event.currentTarget.checked)}
        />
        Polls
      </label>
    </div>
  )
}
