/**
 * The commands of the log by what they change, and the rules of admission. The placement of allocations and the taking
 * of claims use the same check, {@link io.csi4j.core.internal.command.Admission}. For the modules of csi4j; not part of
 * the API.
 */
@NullMarked
package io.csi4j.core.internal.command;

import org.jspecify.annotations.NullMarked;
