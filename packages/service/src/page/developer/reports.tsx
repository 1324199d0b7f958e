import { useEffect, useState } from 'preact/hooks'
import type { Report } from '../../people.ts'
import { memberName } from '../state/names.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Section } from '../forms/frame.tsx'
import { longTime } from '../state/time.ts'
import { attempt, showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'

/** Reported messages, and the decision of staff (§1, content rules). */
export function Reports() {
  const [all, setAll] = useState<Report[]>()
  const [upheld, setUpheld] = useState<Report>()
  const load = async () => setAll((await api.reports.list()).reports)
  useEffect(() => {
    load().catch(showError)
  }, [])
  if (all === undefined) return null
  const ordered = [
    ...all.filter((each) => each.state === 'open'),
    ...all.filter((each) => each.state !== 'open').reverse(),
  ]
  return (
    <Section
      title="Reports"
      description="Messages reported for breaking the content rules, as they were when reported."
    >
      {ordered.length === 0 && <p class="rows-empty">No reports.</p>}
      <ul class="cards">
        {ordered.map((report) => (
          <li key={report.id} class="card" aria-label={`Report about a message from ${memberName(report.author)}`}>
            <div class="card-body">
              <div class="row-plain">
                <div class="row-text">
                  <strong>{memberName(report.author)} wrote</strong>
                  <p>
                    reported by @{report.reporter.username} · {longTime(report.created_at)}
                  </p>
                </div>
                {report.state !== 'open' && (
                  <span class="badge">{report.state === 'upheld' ? 'Upheld' : 'Dismissed'}</span>
                )}
              </div>
              <blockquote class="notice">
                {report.content === '' ? 'A message without text' : report.content}
              </blockquote>
              <p>{report.reason}</p>
            </div>
            {report.state === 'open' && (
              <footer class="card-foot">
                <span class="grow" />
                <button
                  type="button"
                  class="button button-secondary"
                  onClick={() =>
                    void attempt(async () => {
                      await api.reports.decide({ report_id: report.id, uphold: false })
                      await load()
                    })
                  }
                >
                  Dismiss
                </button>
                <button type="button" class="button button-danger" onClick={() => setUpheld(report)}>
                  Uphold…
                </button>
              </footer>
            )}
          </li>
        ))}
      </ul>
      {upheld && (
        <Confirm
          title="Uphold the report?"
          action="Uphold"
          onClose={() => setUpheld(undefined)}
          onConfirm={async () => {
            await api.reports.decide({ report_id: upheld.id, uphold: true })
            await load()
          }}
        >
          <p>
            Deletes the message and counts as a violation for its author. The third violation within an hour is a ban.
          </p>
        </Confirm>
      )}
    </Section>
  )
}
