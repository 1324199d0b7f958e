import { isMap, isNode, isScalar, isSeq, parseDocument, visit, type Document, type Scalar, type YAMLMap } from 'yaml'
import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from '../checks/violation.ts'

/** A workflow file during the check. */
interface Workflow {
  file: string
  text: string
  document: Document
  violations: Violation[]
}

const INSTALL = /\bnpm[ \t]+(?:ci|install|i|add|update|clean-install)\b[^\n;&|]*/g
/** Commands that run code of the repository or of a dependency. Does not match the programs of npm and Node themselves. */
const PROJECT_CODE =
  /(?:\bnpm[ \t]+(?:ci|install|i|add|test|t|start|run|run-script|exec|x)\b|\bnpx\b|\b(?:bash|sh|node)[ \t]+[\w./-]|(?:^|[;&|][ \t]*)\.{0,2}\/\w)[^\n;&|]*/gm
/** Commands that run the tests, and so the code of many packages that nothing published requires. */
const TESTS = /\bnpm[ \t]+(?:run[ \t]+)?(?:test|t)\b|\bvitest\b|\.ci\/run\b/g
const STRANGERS = ['pull_request_target', 'workflow_run']

/** Checks that workflows pin actions, install without scripts, and never give the right to publish to a job that runs code of the project. */
export async function checkWorkflows(root: string): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const file of await sourceFiles(root)) {
    if (/(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/.test(file))
      violations.push(...checkWorkflow(file, await readText(root, file)))
    else if (/(?:^|\/)(?:Dockerfile|\.ci\/[^/]+)$/.test(file)) {
      const text = (await readText(root, file)).replaceAll(/^[ \t]*#.*$/gm, (comment) => ' '.repeat(comment.length))
      violations.push(...checkInstalls(file, text, (offset) => lineAt(text, offset)))
    }
  }
  return violations
}

function checkWorkflow(file: string, text: string): Violation[] {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error) {
    const [fact = ''] = error.message.split('\n')
    return [{ file, line: lineAt(text, error.pos[0]), fact: `is not valid YAML: ${fact}`, fix: 'fix the syntax' }]
  }
  const workflow: Workflow = { file, text, document, violations: [] }
  checkTriggers(workflow)
  checkPermissions(workflow)
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value)) return
      if (key.value === 'uses') checkPinned(workflow, value)
      if (key.value === 'run') {
        const lines = lineIn(workflow, value)
        workflow.violations.push(...checkInstalls(file, String(value.value), lines))
      }
    },
    Map: (_, map) => {
      if (!isCheckout(map) || map.getIn(['with', 'persist-credentials']) === false) return
      report(workflow, map.get('uses', true), {
        fact: 'the checkout keeps its token in .git/config',
        fix: 'add `persist-credentials: false` to its `with`',
      })
    },
  })
  const jobs = document.get('jobs')
  if (isMap(jobs))
    for (const { key, value } of jobs.items) if (isMap(value)) checkPublisher(workflow, String(key), value)
  return workflow.violations.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

function checkTriggers(workflow: Workflow): void {
  const on = workflow.document.get('on', true)
  if (!isNode(on)) return
  visit(on, {
    Scalar(_, node) {
      if (!STRANGERS.includes(String(node.value))) return
      report(workflow, node, {
        fact: `runs on "${String(node.value)}", which gives foreign code our permissions`,
        fix: 'use `pull_request`',
      })
    },
  })
}

function checkPermissions(workflow: Workflow): void {
  const { document } = workflow
  const permissions = document.get('permissions', true)
  const fix = 'write `permissions: { contents: read }` at the top, and each further one with the job that needs it'
  if (permissions === undefined || permissions === null)
    report(workflow, undefined, {
      fact: "declares no permissions, so its jobs get the repository's defaults",
      fix,
    })
  else if (isScalar(permissions))
    report(workflow, permissions, { fact: `grants "${String(permissions.value)}" to every job`, fix })
  else if (isMap(permissions))
    for (const { key, value } of permissions.items) {
      const right = isScalar(value) ? String(value.value) : ''
      if (right !== 'read' && right !== 'none')
        report(workflow, key, { fact: `grants "${String(key)}: ${right}" to every job`, fix })
    }
}

function checkPinned(workflow: Workflow, value: Scalar): void {
  const uses = String(value.value)
  if (uses.startsWith('./')) return
  if (!/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(uses))
    report(workflow, value, {
      fact: `"${uses}" is not pinned by a full commit hash`,
      fix: 'use the 40 digits of its release commit, because a tag can be moved',
    })
  else if (!/^ v\d+\.\d+\.\d+$/.test(value.comment ?? ''))
    report(workflow, value, {
      fact: `"${uses}" has no comment with its version`,
      fix: 'add it after the hash, as in `# v7.0.1`',
    })
}

function checkInstalls(file: string, text: string, lineOf: (offset: number) => number): Violation[] {
  return [...text.matchAll(INSTALL)]
    .filter(([command]) => !command.includes('--ignore-scripts'))
    .map((match) => ({
      file,
      line: lineOf(match.index),
      fact: `"${match[0].trim()}" runs the install scripts of dependencies`,
      fix: 'add --ignore-scripts',
    }))
}

/** A job with the right to publish must run neither code of the project nor of a dependency. */
function checkPublisher(workflow: Workflow, name: string, job: YAMLMap): void {
  const own = job.get('permissions') ?? workflow.document.get('permissions')
  const publishes = own === 'write-all' || (isMap(own) && own.get('id-token') === 'write')
  if (!publishes) return
  const fix = 'do this in a job without this right, and pass the result as an artifact with its digest'
  const needs = job.get('needs')
  for (const packer of isSeq(needs) ? needs.items.map(String) : [String(needs)])
    checkPacker(workflow, packer, workflow.document.getIn(['jobs', packer]))
  visit(job, {
    Map(_, map) {
      if (isCheckout(map))
        report(workflow, map.get('uses', true), {
          fact: `the job "${name}" has id-token: write and checks out the repository`,
          fix,
        })
    },
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'run' || !isScalar(value)) return
      const lineOf = lineIn(workflow, value)
      for (const match of String(value.value).matchAll(PROJECT_CODE))
        workflow.violations.push({
          file: workflow.file,
          line: lineOf(match.index),
          fact: `the job "${name}" has id-token: write and runs "${match[0].trim()}"`,
          fix,
        })
    },
  })
}

/** A job that packs for a publisher must not run tests: their code could change what is packed. */
function checkPacker(workflow: Workflow, name: string, job: unknown): void {
  if (!isMap(job)) return
  visit(job, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'run' || !isScalar(value)) return
      const lineOf = lineIn(workflow, value)
      for (const match of String(value.value).matchAll(TESTS))
        workflow.violations.push({
          file: workflow.file,
          line: lineOf(match.index),
          fact: `the job "${name}" packs for a job with id-token: write and runs "${match[0].trim()}"`,
          fix: 'run the tests in another job, and let this one require it',
        })
    },
  })
}

function isCheckout(map: YAMLMap): boolean {
  const uses = map.get('uses')
  return typeof uses === 'string' && /^actions\/checkout(?:@|$)/.test(uses)
}

function report({ file, text, violations }: Workflow, node: unknown, what: Pick<Violation, 'fact' | 'fix'>): void {
  const start = isScalar(node) ? node.range?.[0] : undefined
  violations.push({ file, ...(start !== undefined && { line: lineAt(text, start) }), ...what })
}

/** The line of an offset in a script. A multi-line script starts below its key. */
function lineIn({ text }: Workflow, { range, type, value }: Scalar): (offset: number) => number {
  const first = lineAt(text, range?.[0] ?? 0) + (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? 1 : 0)
  return (offset) => first + lineAt(String(value), offset) - 1
}
