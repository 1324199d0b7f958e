import { useState } from 'preact/hooks'

/** The text of an error and the field it names: the service writes `field: what is wrong`. */
interface Problem {
  field: string | undefined
  text: string
}

function problemOf(error: unknown): Problem {
  const text = error instanceof Error ? error.message : String(error)
  const found = /^([a-z_]+)(?:\[\d+\])?(?:\.[\w.[\]]+)?: (.+)$/s.exec(text)
  return found ? { field: found[1], text: sentence(found[2]!) } : { field: undefined, text: sentence(text) }
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The call of a form, and what there is to show about it. */
export interface Call {
  /** Runs the call. Returns whether it succeeded. */
  run: (work: () => Promise<unknown>) => Promise<boolean>
  busy: boolean
  /** The error that names a field of the form. */
  at: (field: string) => string | undefined
  /** Any other error. */
  general: string | undefined
}

/** Runs one call at a time. Errors of the given fields are shown at the field, others with the form. */
export function useCall(...fields: string[]): Call {
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
    at: (field) => (here && problem.field === field ? problem.text : undefined),
    general: here ? undefined : problem?.text,
  }
}
