import { Icon } from '../components/icons.tsx'
import { useCopy } from '../components/use-copy.ts'

/** A button that copies a text. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { copy, result } = useCopy(text)
  const words =
    result === 'copied' ? 'Copied' : result === 'failed' ? 'Could not copy. Select the text instead.' : label
  return (
    <button type="button" class="button button-secondary copy" onClick={copy}>
      <Icon name={result === 'copied' ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{words}</span>
    </button>
  )
}

/** A selectable text with a copy button. */
export function CopyLine({ label, text, multiline = false }: { label: string; text: string; multiline?: boolean }) {
  return (
    <div class="copy-line">
      <span class="copy-label">{label}</span>
      <div class="copy-box">
        <code class={multiline ? 'is-multiline' : ''} tabIndex={0} aria-label={label}>
          {text}
        </code>
        <CopyButton text={text} />
      </div>
    </div>
  )
}

/** Notice for a secret that is shown only once. */
export const ShownOnce = ({ what }: { what: string }) => (
  <p class="notice notice-amber">
    <strong>Copy {what} now.</strong> You will not see it again: the service stores only a hash.
  </p>
)
