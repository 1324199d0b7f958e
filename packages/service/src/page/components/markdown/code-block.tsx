import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type * as Highlighting from './highlighting.ts'
import { Icon } from '../icons.tsx'
import { useTabStop } from '../tab-stop.ts'
import { useCopy } from '../use-copy.ts'

/** A file of its own: see scripts/build-page.mjs. */
const file = '/assets/highlighting.js'
let loading: Promise<typeof Highlighting> | undefined

/** The parts of highlighted code; undefined until the highlighting is loaded, and for an unknown language. */
function useHighlighted(text: string, language: string): Highlighting.Part[] | undefined {
  const [module, setModule] = useState<typeof Highlighting>()
  useEffect(() => {
    if (language === '') return
    loading ??= import(file) as Promise<typeof Highlighting>
    // Without it, the code is shown in one color; the next code tries again.
    loading.then(setModule, () => (loading = undefined))
  }, [language])
  return module?.highlight(text, language)
}

const rendered = (part: Highlighting.Part): ComponentChildren =>
  typeof part === 'string' ? part : <span class={part.class}>{part.parts.map(rendered)}</span>

function CopyButton({ text }: { text: string }) {
  const { copy, result } = useCopy(text)
  const label =
    result === 'copied' ? 'Copied' : result === 'failed' ? 'Could not copy. Select the code instead.' : 'Copy code'
  return (
    <button type="button" class="code-copy" title={label} tabIndex={useTabStop()} onClick={copy}>
      <Icon name={result === 'copied' ? 'check' : result === 'failed' ? 'close' : 'copy'} size={14} />
      <span class="visually-hidden" aria-live="polite">
        {label}
      </span>
    </button>
  )
}

/** A block of code, highlighted if its language is known, with a button that copies it. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const parts = useHighlighted(text, language)
  return (
    <div class="code-block">
      <pre dir="ltr" tabIndex={useTabStop()}>
        <code>{parts?.map(rendered) ?? text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
