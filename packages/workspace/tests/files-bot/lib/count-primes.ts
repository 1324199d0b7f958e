import { parentPort, workerData } from 'node:worker_threads'

const isPrime = (n: number): boolean => {
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false
  return true
}
let count = 0
for (let n = 2; n < (workerData as number); n++) if (isPrime(n)) count++
parentPort!.postMessage(count)
