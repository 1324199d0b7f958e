import { useState } from 'preact/hooks'

/** The text of an error and the field it names: the service writes `field: what is wrong`. */
export interface Problem {
  field: string | undefined
  text: string
}

function problemOf(error: unknown): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const found = /^([a-z_]+)(?:\[\d+\])?(?:\.[\w.[\]]+)?: (.+)$/s.exec(text)
  return found ? { field: found[1], text: sentence(found[2]!) } : { field: undefined, text: sentence(text) }
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Runs one call at a time. Errors of the given fields are shown at the field, others with the form. */
export function useCall(...fields: string[]) {
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(problemOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  const here = problem?.field !== undefined && fields.includes(problem.field)
  return {
    run,
    busy,
    at: (field: string): string | undefined => (here && problem.field === field ? problem.text : undefined),
    general: here ? undefined : problem?.text,
    clear: () => setProblem(undefined),
  }
}
