using System;
using System.Collections.Generic;
using System.Globalization;

namespace Wheelbase
{
    /// <summary>A call failed: <c>Status</c> says how, the message what was wrong and what would be right. What the call was
    /// to change is as before. Numbers in messages are the library's: no culture changes them.</summary>
    public sealed class WheelbaseException : Exception
    {
        internal WheelbaseException(Status status, string message) : base(message)
        {
            Status = status;
            Places = PlacesOf(message);
        }

        /// <summary>How it failed.</summary>
        public Status Status { get; private set; }

        /// <summary>Of mistakes in texts and files: the place of each, in the order of the message.</summary>
        public IReadOnlyList<TextPlace> Places { get; private set; }

        /// <summary>File of the first mistake; null where the failure is of no text.</summary>
        public string File { get { return Places.Count == 0 ? null : Places[0].File; } }

        /// <summary>Line of the first mistake, from 1; 0 without one.</summary>
        public int Line { get { return Places.Count == 0 ? 0 : Places[0].Line; } }

        /// <summary>Column of the first mistake, from 1; 0 without one.</summary>
        public int Column { get { return Places.Count == 0 ? 0 : Places[0].Column; } }

        const string Error = "error: ";

        // Lines begin with file:line:column: or file:line:, some with "error: " before it.
        static IReadOnlyList<TextPlace> PlacesOf(string message)
        {
            var places = new List<TextPlace>();
            foreach (var text in message.Split('\n'))
            {
                var line = text.StartsWith(Error, StringComparison.Ordinal) ? text.Substring(Error.Length) : text;
                for (var colon = line.IndexOf(':'); colon > 0; colon = line.IndexOf(':', colon + 1))
                {
                    // A path may contain a colon, but no space follows that.
                    if (colon + 1 < line.Length && line[colon + 1] == ' ') break;
                    int end, row, column = 0;
                    if (!Number(line, colon + 1, out end, out row)) continue;
                    int endOfColumn;
                    if (!Number(line, end + 1, out endOfColumn, out column)) column = 0;
                    places.Add(new TextPlace(line.Substring(0, colon), row, column));
                    break;
                }
            }
            return places;
        }

        // A number at `from` that a colon follows.
        static bool Number(string text, int from, out int end, out int number)
        {
            end = from;
            number = 0;
            while (end < text.Length && text[end] >= '0' && text[end] <= '9') end++;
            return end > from && end < text.Length && text[end] == ':' &&
                int.TryParse(text.Substring(from, end - from), NumberStyles.None, CultureInfo.InvariantCulture, out number);
        }
    }

    /// <summary>A place in a text.</summary>
    public struct TextPlace
    {
        internal TextPlace(string file, int line, int column)
        {
            File = file;
            Line = line;
            Column = column;
        }

        /// <summary>The file, as the call named it.</summary>
        public string File { get; private set; }

        /// <summary>Line, from 1.</summary>
        public int Line { get; private set; }

        /// <summary>Column, from 1; 0 where the message has none.</summary>
        public int Column { get; private set; }
    }
}
