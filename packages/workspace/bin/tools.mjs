#!/usr/bin/env node
import '../dist/tools.js'
