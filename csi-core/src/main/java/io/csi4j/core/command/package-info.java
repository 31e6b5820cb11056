/**
 * The {@linkplain io.csi4j.core.command.Command commands} that change the state, their results ({@link
 * io.csi4j.core.command.Outcome}), and the reasons for a rejection ({@link io.csi4j.core.command.Rejection}).
 * The placement of allocations and the taking of claims use the same check, {@link io.csi4j.core.command.Admission}.
 *
 * <pre>{@code
 * Command take = new ClaimCommand.TakeClaims(
 *         AllocationId.of("web-7f3a"),
 *         List.of(ClaimRequest.of(VolumeKey.of("default", "db-data"), ClaimMode.WRITE, capability)),
 *         clock.instant());
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.command;

import org.jspecify.annotations.NullMarked;
