import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import { Icon } from '../components/icons.tsx'

interface Shared {
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  disabled?: boolean
}
interface Ids {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

/** A label, its control, and below it the error from the service or a hint. */
function Field({ label, hint, error, children }: Shared & { children: (ids: Ids) => ComponentChildren }) {
  const id = useId()
  const noted = error !== undefined || hint !== undefined
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': noted ? `${id}-note` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {noted && (
        <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'} aria-live="polite">
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

interface TextProps extends Shared {
  value: string
  onInput: (value: string) => void
  placeholder?: string
  /** Shows how many characters are left, in code points like the service. */
  max?: number
  rows?: number
  type?: 'text' | 'url' | 'number'
  autofocus?: boolean
}

export function TextField({ value, onInput, placeholder, max, rows, type = 'text', autofocus, ...rest }: TextProps) {
  const left = max === undefined ? undefined : max - Array.from(value).length
  const over = left !== undefined && left < 0
  const counted = left !== undefined && left < max! / 4 ? `${plural(left, 'character')} left` : undefined
  const error = rest.error ?? (over ? `${plural(-left, 'character')} too many` : undefined)
  return (
    <Field {...rest} error={error} hint={rest.hint ?? counted}>
      {(ids) =>
        rows === undefined ? (
          <input
            {...ids}
            class="input"
            {...({ type } as { type: 'text' })}
            dir="auto"
            value={value}
            placeholder={placeholder}
            disabled={rest.disabled}
            autocomplete="off"
            spellcheck={false}
            autofocus={autofocus}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...ids}
            class="input"
            rows={rows}
            dir="auto"
            value={value}
            placeholder={placeholder}
            disabled={rest.disabled}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )
      }
    </Field>
  )
}

interface Option {
  value: string
  label: string
}
type SelectProps = Shared & { value: string; options: readonly Option[]; onChange: (value: string) => void }

export function SelectField({ value, options, onChange, ...rest }: SelectProps) {
  return (
    <Field {...rest}>
      {(ids) => (
        <span class="select">
          <select
            {...ids}
            class="input"
            value={value}
            disabled={rest.disabled}
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            {options.map((each) => (
              <option key={each.value} value={each.value} selected={each.value === value}>
                {each.label}
              </option>
            ))}
          </select>
          <Icon name="down" size={14} />
        </span>
      )}
    </Field>
  )
}

type SwitchProps = Shared & { checked: boolean; onChange: (checked: boolean) => void | Promise<unknown> }

/** A switch that takes effect right away, or with the form around it. */
export function Switch({ label, hint, error, checked, disabled, onChange }: SwitchProps) {
  const id = useId()
  // Show the requested value while the call runs, then the actual one.
  const [wished, setWished] = useState<boolean>()
  const change = async (on: boolean) => {
    setWished(on)
    await onChange(on)
    setWished(undefined)
  }
  return (
    <div class={disabled ? 'switch-row is-disabled' : 'switch-row'}>
      <div>
        <label for={id}>{label}</label>
        {(error ?? hint) && (
          <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
            {error ?? hint}
          </p>
        )}
      </div>
      <input
        id={id}
        class="switch"
        type="checkbox"
        role="switch"
        checked={wished ?? checked}
        disabled={disabled}
        aria-describedby={(error ?? hint) ? `${id}-note` : undefined}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
    </div>
  )
}

/** An error that belongs to no field of the form. */
export const FormProblem = ({ text }: { text: string | undefined }) => (
  <p class="form-error" role="alert">
    {text}
  </p>
)
