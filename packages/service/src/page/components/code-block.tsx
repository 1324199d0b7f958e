import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Part } from './highlighting.ts'
import { Icon } from './icons.tsx'
import { useTabStop } from './tab-stop.ts'

type Highlighting = typeof import('./highlighting.ts')
/** A file of its own: see scripts/build-page.mjs. */
const file = '/assets/highlighting.js'
let loading: Promise<Highlighting> | undefined

/** The parts of highlighted code; undefined until the highlighting is loaded, and for an unknown language. */
function useHighlighted(text: string, language: string): Part[] | undefined {
  const [module, setModule] = useState<Highlighting>()
  useEffect(() => {
    if (language === '') return
    loading ??= import(file) as Promise<Highlighting>
    // Without it, the code is shown in one color; the next code tries again.
    loading.then(setModule, () => (loading = undefined))
  }, [language])
  return module?.highlight(text, language)
}

const rendered = (part: Part): ComponentChildren =>
  typeof part === 'string' ? part : <span class={part.class}>{part.parts.map(rendered)}</span>

const COPIED_MS = 2000

function CopyButton({ text }: { text: string }) {
  const [result, setResult] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (result === undefined) return
    const timer = setTimeout(() => setResult(undefined), COPIED_MS)
    return () => clearTimeout(timer)
  }, [result])
  const label = result === 'copied' ? 'Copied' : result === 'failed' ? 'The browser did not allow it' : 'Copy code'
  return (
    <button
      type="button"
      class="code-copy"
      aria-label={label}
      title={label}
      tabIndex={useTabStop()}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setResult('copied'),
          () => setResult('failed'),
        )
      }
    >
      <Icon name={result === 'copied' ? 'check' : result === 'failed' ? 'close' : 'copy'} size={14} />
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
