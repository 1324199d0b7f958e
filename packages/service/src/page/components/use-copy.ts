import { useEffect, useState } from 'preact/hooks'

const SHOWN_MS = 2_000

/** Copies a text; browsers may refuse, and have no clipboard on a page without TLS. `result` is set for two seconds. */
export function useCopy(text: string): { copy: () => void; result: 'copied' | 'failed' | undefined } {
  const [result, setResult] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (result === undefined) return
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('copied')
    } catch {
      setResult('failed')
    }
  }
  return { copy: () => void copy(), result }
}
