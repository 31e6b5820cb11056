/**
 * The ids that the host chooses. Each kind of id has its own type, so that a volume cannot be confused with an allocation, or the host's id of an object with the storage provider's id.
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
