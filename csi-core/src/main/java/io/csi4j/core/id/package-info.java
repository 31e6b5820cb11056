/**
 * The host's ids. Each has its own type, so that no call can confuse a volume with an allocation, or the host's id with the
 * provider's.
 *
 * <pre>{@code
 * VolumeKey key = VolumeKey.of("default", "db-data");
 * AllocationId allocation = AllocationId.of("web-7f3a");
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.id;

import org.jspecify.annotations.NullMarked;
