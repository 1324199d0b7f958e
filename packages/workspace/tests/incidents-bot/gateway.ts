import { createServer, type Server } from 'node:https'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** A fault between a bot and the service. */
export interface Trouble {
  certificate?: keyof typeof certificates
  /** It answers with a page instead of the service. */
  html?: boolean
  /** How far its clock is ahead. */
  aheadMs?: number
}

/** An https server in front of the local service, as in production. */
export class Gateway implements AsyncDisposable {
  readonly #server: Server
  readonly #service: URL
  readonly #sockets = new Set<Duplex>()
  #trouble: Trouble = {}

  private constructor(service: URL) {
    this.#service = service
    this.#server = createServer({ cert: certificates.good, key }, (incoming, response) =>
      this.#answer(incoming, response),
    )
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(serviceUrl: string): Promise<Gateway> {
    const gateway = new Gateway(new URL(serviceUrl))
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve))
    return gateway
  }

  get base_url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** Replaces the trouble, and ends open connections, so that the bot notices it at once. */
  has(trouble: Trouble = {}): void {
    this.#trouble = trouble
    this.#server.setSecureContext({ cert: certificates[trouble.certificate ?? 'good'], key })
    for (const socket of this.#sockets) socket.destroy()
  }

  #answer(incoming: IncomingMessage, response: ServerResponse): void {
    const { html = false, aheadMs = 0 } = this.#trouble
    const date = () => new Date(Date.now() + aheadMs).toUTCString()
    if (html) {
      response
        .writeHead(200, { 'content-type': 'text/html', date: date() })
        .end('<html><body>Sign in to the network</body></html>')
      return
    }
    const { hostname, port, host } = this.#service
    const { method, url, headers } = incoming
    // The local service accepts only its own name.
    const onward = request({ hostname, port, method, path: url, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode!, { ...answer.headers, date: date() })
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    incoming.pipe(onward)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Certificates for localhost, with one key; the second one was valid for a day, and the last one is for another host. They protect nothing. */
export const certificates = {
  good: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUehqvxrKmyra1iMxFYOxSyA8MUx0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDA5MzY0OVoYDzIxMjYxMTA2
MDkzNjQ5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATk/JWQnooa1bh8Gn4+VFg+f2rC60i2FC+MVj/9NxqUKDlIzMbqw6py
qQRKN0EyaxCvoJ1i1WtS87/PDFcO1IKKo2kwZzAdBgNVHQ4EFgQUOBXNdK5NJKy/
EkvIiN9mOALGBNAwHwYDVR0jBBgwFoAUOBXNdK5NJKy/EkvIiN9mOALGBNAwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgZOnavEqBIK9fpg+Jw3Cn/9Orq5pTIT1QWnpWp+9Be0cCIQDzuABevsDO
RZfvRV3gydtMhdMDmPimpO+2x+o0CTi09w==
-----END CERTIFICATE-----`,
  expired: `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFsb2NhbGhv
c3QtZXhwaXJlZDAeFw0yNTAxMDEwMDAwMDBaFw0yNTAxMDIwMDAwMDBaMBwxGjAY
BgNVBAMMEWxvY2FsaG9zdC1leHBpcmVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAE5PyVkJ6KGtW4fBp+PlRYPn9qwutIthQvjFY//TcalCg5SMzG6sOqcqkESjdB
MmsQr6CdYtVrUvO/zwxXDtSCiqNIMEYwFAYDVR0RBA0wC4IJbG9jYWxob3N0MA8G
A1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFDgVzXSuTSSsvxJLyIjfZjgCxgTQMAoG
CCqGSM49BAMCA0kAMEYCIQDrXjaCfjjVPDKCtmJnLLLfb5Yo2RUElLz0evNUOaLF
AQIhAONPzZfTrf8IsiQzf7jbjH6twnpKV+FEe4tJqZ7/r2Pi
-----END CERTIFICATE-----`,
  otherHost: `-----BEGIN CERTIFICATE-----
MIIBkTCCATegAwIBAgIUEkTyYtnzNyUfdwoh26nSEzgfNvswCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTMwMDkzNjQ5WhgPMjEyNjExMDYwOTM2
NDlaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
5PyVkJ6KGtW4fBp+PlRYPn9qwutIthQvjFY//TcalCg5SMzG6sOqcqkESjdBMmsQ
r6CdYtVrUvO/zwxXDtSCiqNtMGswHQYDVR0OBBYEFDgVzXSuTSSsvxJLyIjfZjgC
xgTQMB8GA1UdIwQYMBaAFDgVzXSuTSSsvxJLyIjfZjgCxgTQMA8GA1UdEwEB/wQF
MAMBAf8wGAYDVR0RBBEwD4INb3RoZXIuZXhhbXBsZTAKBggqhkjOPQQDAgNIADBF
AiEAzOD4xzFWJ9DVw+X/16eAYtHX12eZNXPs4J0/5bRe2/kCIHvXmBFqoszf5Xyd
9qLxi0dPQAQYhQOItEJYCL0r0CnU
-----END CERTIFICATE-----`,
}
const key = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIEXGvFOoSNm4UmCZI8FN0bVNuNHy6at6WN6Tk6JQjg+5oAoGCCqGSM49
AwEHoUQDQgAE5PyVkJ6KGtW4fBp+PlRYPn9qwutIthQvjFY//TcalCg5SMzG6sOq
cqkESjdBMmsQr6CdYtVrUvO/zwxXDtSCig==
-----END EC PRIVATE KEY-----`
