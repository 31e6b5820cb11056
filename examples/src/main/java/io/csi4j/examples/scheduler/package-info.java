/**
 * A small scheduler to copy from: servers that elect a leader, agents on nodes, jobs with volumes from a file.
 *
 * <p>{@link io.csi4j.examples.scheduler.Scheduler} starts all processes. {@link io.csi4j.examples.scheduler.SchedulerServer} and {@link
 * io.csi4j.examples.scheduler.SchedulerAgent} are the programs to copy; begin with {@link io.csi4j.examples.scheduler.SchedulingLoop}.
 */
@NullMarked
package io.csi4j.examples.scheduler;

import org.jspecify.annotations.NullMarked;
