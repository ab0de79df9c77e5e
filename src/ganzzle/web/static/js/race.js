// You against the machine: it lays one piece of its solution every few seconds, you lay yours by hand.
import { clock, reducedMotion, say } from "./dom.js";
import { rightPieces } from "./puzzle.js";
import { machineErred } from "./words.js";

const second = (factor = 1) => new Promise((resolve) => setTimeout(resolve, 1000 * factor));

export class Race {
  // `ended(text)` hears who has won.
  constructor(you, machine, solution, pace, ended) {
    Object.assign(this, { you, machine, solution, pace, ended, over: false, laid: 0 });
    const { confidence } = solution;
    this.order = confidence.map((_, i) => i).sort((a, b) => confidence[b] - confidence[a]);
  }

  async start() {
    this.machine.imagine(this.solution);
    for (const word of ["3", "2", "1"]) {
      if (this.over) return;
      say(`${word}…`);
      await second(reducedMotion() ? 0.3 : 0.7);
    }
    if (this.over) return;
    say("Go!");
    this.begun = performance.now();
    this.you.hand.enabled = true;
    this.you.stage.canvas.focus({ preventScroll: true });
    this.timer = setInterval(() => this.machineMoves(), 1000 * this.pace);
    this.clock = setInterval(() => this.tick(), 1000);
  }

  get seconds() {
    return (performance.now() - this.begun) / 1000;
  }

  right() {
    const { stage } = this.you;
    return rightPieces(stage.puzzle, stage.slots, stage.turns).filter(Boolean).length;
  }

  tick() {
    const { count } = this.you.stage.puzzle;
    const right = this.right();
    this.you.setTitle(`You: ${right} of ${count} right, ${clock(this.seconds)}`, right / count);
    this.machine.setTitle(`Machine: ${this.laid} of ${count} laid`, this.laid / count);
  }

  machineMoves() {
    const i = this.order[this.laid];
    this.machine.stage.lay(i, this.solution.placement[i], this.solution.turns[i]);
    this.laid += 1;
    this.tick();
    if (this.laid < this.order.length) return;
    clearInterval(this.timer);
    const { stage } = this.machine;
    const wrong = rightPieces(stage.puzzle, stage.slots, stage.turns).filter((right) => !right).length;
    if (wrong) say(machineErred(wrong));
    else this.end(this.machine, `The machine wins in ${clock(this.seconds)}. Again?`);
  }

  // Called after every move by hand.
  moved() {
    if (this.over || !this.begun) return;
    this.tick();
    const { count } = this.you.stage.puzzle;
    if (this.right() === count) this.end(this.you, `You win in ${clock(this.seconds)}! The machine laid ${this.laid} of ${count}.`);
  }

  async end(winner, text) {
    this.stop();
    this.you.hand.enabled = false;
    document.body.dataset.winner = winner === this.you ? "you" : "machine";
    this.ended(text);
    await winner.stage.rest();
    winner.stage.shine();
  }

  stop() {
    this.over = true;
    clearInterval(this.timer);
    clearInterval(this.clock);
    document.body.dataset.winner = "";
  }
}
