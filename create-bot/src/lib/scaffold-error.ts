/** An error that the user can fix; printed without a stack. */
export class ScaffoldError extends Error {
  readonly code: 'ERR_NAME' | 'ERR_TARGET' | 'ERR_TEMPLATE' | 'ERR_PACK' | 'ERR_PACKAGE_MANAGER' | 'ERR_LINT'

  constructor(code: ScaffoldError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ScaffoldError'
    this.code = code
  }
}
